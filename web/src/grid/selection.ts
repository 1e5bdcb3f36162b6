import type { CellPosition, CellRange } from './types';

/** One rectangle between the anchor and the active cell. Row -1 is the header. */
export interface Selection {
  anchor: CellPosition;
  active: CellPosition;
}

export const HEADER_ROW = -1;

export function startSelection(position: CellPosition): Selection {
  return { anchor: position, active: position };
}

export function selectedRange({ anchor, active }: Selection): CellRange {
  return {
    firstRow: Math.max(0, Math.min(anchor.row, active.row)),
    lastRow: Math.max(0, anchor.row, active.row),
    firstColumn: Math.min(anchor.column, active.column),
    lastColumn: Math.max(anchor.column, active.column),
  };
}

export function isSingleCell({ anchor, active }: Selection): boolean {
  return anchor.row === active.row && anchor.column === active.column;
}

export interface GridSize {
  rows: number;
  columns: number;
  rowsPerPage: number;
}

export interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The selection after a key, or null if the key moves nothing here. */
export function moveSelection(
  selection: Selection,
  press: KeyPress,
  size: GridSize,
): Selection | null {
  if (press.altKey || size.columns === 0) return null;
  const control = press.ctrlKey || press.metaKey;
  const { rows, columns } = size;
  const { row, column } = selection.active;
  if (control && press.key.toLowerCase() === 'a') {
    return allCells(rows, columns);
  }
  if (press.key === ' ' && press.shiftKey && row >= 0) return wholeRows(selection, columns);
  if (press.key === ' ' && control) return wholeColumns(selection, rows);
  const target = moveTarget(press.key, control, { row, column }, size);
  if (!target) return null;
  const active = {
    row: Math.min(Math.max(target.row, press.shiftKey ? 0 : HEADER_ROW), rows - 1),
    column: Math.min(Math.max(target.column, 0), columns - 1),
  };
  return { anchor: press.shiftKey ? selection.anchor : active, active };
}

export function allCells(rows: number, columns: number): Selection {
  return { anchor: { row: rows - 1, column: columns - 1 }, active: { row: 0, column: 0 } };
}

export function wholeRows({ anchor, active }: Selection, columns: number): Selection {
  return {
    anchor: { row: anchor.row, column: columns - 1 },
    active: { row: active.row, column: 0 },
  };
}

export function wholeColumns({ anchor, active }: Selection, rows: number): Selection {
  return {
    anchor: { row: rows - 1, column: anchor.column },
    active: { row: 0, column: active.column },
  };
}

function moveTarget(
  key: string,
  control: boolean,
  { row, column }: CellPosition,
  { rows, columns, rowsPerPage }: GridSize,
): CellPosition | null {
  switch (key) {
    case 'ArrowUp':
      return { row: control ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: control ? rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: control ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: control ? columns - 1 : column + 1 };
    case 'PageUp':
      return { row: Math.max(0, row - rowsPerPage), column };
    case 'PageDown':
      return { row: row + rowsPerPage, column };
    case 'Home':
      return { row: control ? 0 : row, column: 0 };
    case 'End':
      return { row: control ? rows - 1 : row, column: columns - 1 };
    default:
      return null;
  }
}
