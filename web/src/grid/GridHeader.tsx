import type { KeyboardEvent, PointerEvent } from 'react';
import { columnTitle, typeFamily, typeSign } from './cellText';
import { type ColumnWindow, cellId } from './GridRows';
import { HEADER_ROW } from './selection';
import type { CellRange, ColumnFilter, ColumnSort, RowSource } from './types';

export interface GridHeaderProps {
  gridId: string;
  source: RowSource;
  columns: ColumnWindow;
  left: number;
  height: number;
  gutterWidth: number;
  selected: CellRange;
  active: { row: number; column: number };
  sort: readonly ColumnSort[];
  filters: readonly ColumnFilter[];
  openColumn: number | null;
  onSelectAll(): void;
  onSelectColumn(column: number, isExtending: boolean): void;
  onOpenPanel(column: number): void;
  onResize(column: number, width: number): void;
  onFit(column: number): void;
}

export const RESIZE_STEP = 16;

export function GridHeader(props: GridHeaderProps) {
  const { columns, gutterWidth, height } = props;
  const cells = [];
  for (let column = columns.first; column <= columns.last; column++) {
    cells.push(<HeaderCell key={column} {...props} column={column} />);
  }
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
    // biome-ignore lint/a11y/useSemanticElements: a table would need all rows in the page
    <div role="row" aria-rowindex={1} className="firn-grid-header" style={{ height }}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+A in the grid */}
      <div
        role="columnheader"
        aria-colindex={1}
        className="firn-grid-corner"
        title="Select all"
        style={{ width: gutterWidth }}
        onClick={props.onSelectAll}
      >
        <span className="firn-grid-hidden">Row</span>
      </div>
      <div
        role="presentation"
        className="firn-grid-cells"
        style={{ transform: `translateX(${gutterWidth - props.left}px)`, height }}
      >
        {cells}
      </div>
    </div>
  );
}

function HeaderCell(props: GridHeaderProps & { column: number }) {
  const { source, column, columns, selected, active, sort, filters } = props;
  const type = source.rowType[column];
  if (!type) return null;
  const begin = columns.offsets[column] ?? 0;
  const width = (columns.offsets[column + 1] ?? begin) - begin;
  const sorted = sort.find((by) => by.column === column);
  const isFiltered = filters.some((filter) => filter.column === column);
  const names = ['firn-grid-head', `firn-grid-${typeFamily(type)}`];
  if (column >= selected.firstColumn && column <= selected.lastColumn) {
    names.push('firn-grid-head-selected');
  }
  if (active.row === HEADER_ROW && active.column === column) names.push('firn-grid-active');
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, see aria-activedescendant
    // biome-ignore lint/a11y/useSemanticElements: a table would need all rows in the page
    // biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+Space and Enter in the grid
    <div
      id={cellId(props.gridId, HEADER_ROW, column)}
      role="columnheader"
      aria-colindex={column + 2}
      aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
      aria-haspopup="dialog"
      aria-expanded={props.openColumn === column}
      className={names.join(' ')}
      style={{ left: begin, width }}
      title={columnTitle(type)}
      onClick={(event) => props.onSelectColumn(column, event.shiftKey)}
      onContextMenu={(event) => {
        event.preventDefault();
        props.onOpenPanel(column);
      }}
    >
      <span className="firn-grid-sign" aria-hidden="true">
        {typeSign(type)}
      </span>
      <span className="firn-grid-name">{type.name}</span>
      {isFiltered && <span className="firn-grid-mark">filtered</span>}
      <span
        className="firn-grid-more"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          props.onOpenPanel(column);
        }}
      >
        {sorted ? (sorted.descending ? '▼' : '▲') : '▾'}
      </span>
      <ResizeHandle
        width={width}
        onResize={(wanted) => props.onResize(column, wanted)}
        onFit={() => props.onFit(column)}
      />
    </div>
  );
}

interface ResizeHandleProps {
  width: number;
  onResize(width: number): void;
  onFit(): void;
}

/** For the mouse; the keys + and - do the same in the header. */
function ResizeHandle({ width, onResize, onFit }: ResizeHandleProps) {
  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const handle = event.currentTarget;
    const from = event.clientX;
    const move = (moved: globalThis.PointerEvent) => onResize(width + moved.clientX - from);
    const end = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end);
  };
  return (
    <span
      className="firn-grid-resize"
      aria-hidden="true"
      onPointerDown={begin}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => {
        event.stopPropagation();
        onFit();
      }}
    />
  );
}

/** Keys that change the active header's column. True if the key was one of them. */
export function headerKey(
  event: KeyboardEvent,
  column: number,
  width: number,
  props: Pick<GridHeaderProps, 'onOpenPanel' | 'onResize' | 'onFit'>,
): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  switch (event.key) {
    case 'Enter':
    case ' ':
    case 'ContextMenu':
      props.onOpenPanel(column);
      return true;
    case '+':
    case '=':
      props.onResize(column, width + RESIZE_STEP);
      return true;
    case '-':
      props.onResize(column, width - RESIZE_STEP);
      return true;
    case '0':
      props.onFit(column);
      return true;
    default:
      return false;
  }
}
