import { memo } from 'react';
import { shownCellText, typeFamily } from './cellText';
import { count } from './counts';
import type { CellRange, RowSource } from './types';

export interface ColumnWindow {
  first: number;
  last: number;
  offsets: readonly number[];
}

export interface GridRowsProps {
  gridId: string;
  source: RowSource;
  sourceRow: (row: number) => number;
  rows: { first: number; last: number };
  columns: ColumnWindow;
  selected: CellRange;
  active: { row: number; column: number };
  top: number;
  left: number;
  rowHeight: number;
  headerHeight: number;
  gutterWidth: number;
  version: number;
}

export function cellId(gridId: string, row: number, column: number): string {
  return `${gridId}-r${row}-c${column}`;
}

export function GridRows(props: GridRowsProps) {
  const { rows, sourceRow, selected, active, top, left, rowHeight, headerHeight } = props;
  const shown = [];
  for (let row = rows.first; row <= rows.last; row++) {
    const isSelected = row >= selected.firstRow && row <= selected.lastRow;
    const y = headerHeight + row * rowHeight - top;
    shown.push(
      // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, rows never
      // biome-ignore lint/a11y/useSemanticElements: a table would need all rows in the page
      <div
        key={row}
        role="row"
        className="firn-grid-row"
        aria-rowindex={row + 2}
        style={{ transform: `translateY(${y}px)` }}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
        {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
        <div
          role="rowheader"
          aria-colindex={1}
          className={isSelected ? 'firn-grid-index firn-grid-index-selected' : 'firn-grid-index'}
          style={{ width: props.gutterWidth }}
        >
          {count(sourceRow(row) + 1)}
        </div>
        <div
          role="presentation"
          className="firn-grid-cells"
          style={{ transform: `translateX(${props.gutterWidth - left}px)` }}
        >
          <RowCells
            gridId={props.gridId}
            source={props.source}
            row={row}
            sourceRow={sourceRow(row)}
            columns={props.columns}
            firstSelected={isSelected ? selected.firstColumn : -1}
            lastSelected={isSelected ? selected.lastColumn : -1}
            activeColumn={active.row === row ? active.column : -1}
            version={props.version}
          />
        </div>
      </div>,
    );
  }
  return shown;
}

interface RowCellsProps {
  gridId: string;
  source: RowSource;
  row: number;
  sourceRow: number;
  columns: ColumnWindow;
  firstSelected: number;
  lastSelected: number;
  activeColumn: number;
  version: number;
}

const RowCells = memo(function RowCells(props: RowCellsProps) {
  const { columns, firstSelected, lastSelected, activeColumn } = props;
  const cells = [];
  for (let column = columns.first; column <= columns.last; column++) {
    const begin = columns.offsets[column] ?? 0;
    cells.push(
      <GridCell
        key={column}
        id={cellId(props.gridId, props.row, column)}
        source={props.source}
        row={props.sourceRow}
        column={column}
        left={begin}
        width={(columns.offsets[column + 1] ?? begin) - begin}
        isSelected={column >= firstSelected && column <= lastSelected}
        isActive={column === activeColumn}
      />,
    );
  }
  return cells;
});

interface GridCellProps {
  id: string;
  source: RowSource;
  row: number;
  column: number;
  left: number;
  width: number;
  isSelected: boolean;
  isActive: boolean;
}

function GridCell({ id, source, row, column, left, width, isSelected, isActive }: GridCellProps) {
  const value = source.cell(row, column);
  const type = source.rowType[column] ?? { type: 'text' };
  const names = ['firn-grid-cell', `firn-grid-${typeFamily(type)}`];
  if (isSelected) names.push('firn-grid-selected');
  if (isActive) names.push('firn-grid-active');
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, see aria-activedescendant
    // biome-ignore lint/a11y/useSemanticElements: see the row
    <div
      id={id}
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={isSelected}
      className={names.join(' ')}
      style={{ left, width }}
    >
      {value === undefined ? (
        <span className="firn-grid-skeleton">
          <span className="firn-grid-hidden">not loaded yet</span>
        </span>
      ) : value === null ? (
        <span className="firn-grid-null">NULL</span>
      ) : value === '' ? (
        <span className="firn-grid-empty">empty</span>
      ) : value.trim() === '' ? (
        <span className="firn-grid-empty">{blanks(value)}</span>
      ) : (
        shownCellText(value, type, source.timeZone)
      )}
    </div>
  );
}

function blanks(value: string): string {
  return shownCellText(value, { type: 'text' }).replaceAll(' ', '·');
}
