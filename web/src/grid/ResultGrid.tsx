import './grid.css';
import './gridControls.css';
import { useCallback, useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import { ColumnPanel } from './ColumnPanel';
import { CopyNotice } from './CopyNotice';
import { count } from './counts';
import { GridFooter } from './GridFooter';
import { GridHeader } from './GridHeader';
import { GridNotices } from './GridNotices';
import { cellId, GridRows } from './GridRows';
import { gridKeys } from './gridKeys';
import { columnAt, leftToShow, topToShow } from './scrollGeometry';
import {
  allCells,
  HEADER_ROW,
  isSingleCell,
  type Selection,
  selectedRange,
  startSelection,
} from './selection';
import { sourceKey } from './sourceKey';
import type { CellRange, ResultGridProps } from './types';
import { useColumnWidths } from './useColumnWidths';
import { useCopy } from './useCopy';
import { useKeepColumn } from './useKeepColumn';
import { usePointerSelection } from './usePointerSelection';
import { useRowHeight } from './useRowHeight';
import { useEnsureRows, useRowSource } from './useRowSource';
import { useRowView } from './useRowView';
import { useStatistics } from './useStatistics';
import { useViewport } from './useViewport';
import { wrapRequest } from './wrapQuery';

const HEADER_HEIGHT = 30;

export function ResultGrid(props: ResultGridProps) {
  return <Grid key={sourceKey(props.source)} {...props} />;
}

function Grid(props: ResultGridProps) {
  const { source, label, onOpenCell, onActiveCell, onWrapQuery, onAnnounce } = props;
  const gridId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const version = useRowSource(source);
  const arranged = useRowView(source);
  const { rowCount, sourceRow } = arranged;
  const columnCount = source.rowType.length;
  const rowHeight = useRowHeight();
  const viewport = useViewport(scroller, rowCount, rowHeight, HEADER_HEIGHT);
  const widths = useColumnWidths(source, scroller, version);
  const [selection, setSelection] = useState<Selection>(startSelection({ row: 0, column: 0 }));
  const [panelColumn, setPanelColumn] = useState<number | null>(null);
  const copying = useCopy(props, sourceRow);
  const gutterWidth = count(source.rowCount).length * 8 + 20;
  const { offsets } = widths;
  const cellsWidth = Math.max(0, viewport.width - gutterWidth);

  const active = {
    row: Math.min(selection.active.row, rowCount - 1),
    column: selection.active.column,
  };
  const isSingle = isSingleCell(selection);
  const selected: CellRange = isSingle
    ? {
        firstRow: active.row,
        lastRow: active.row,
        firstColumn: active.column,
        lastColumn: active.column,
      }
    : selectedRange(selection);
  const statistics = useStatistics(source, selected, sourceRow, !isSingle && rowCount > 0);
  const columns = {
    first: columnAt(viewport.left, offsets),
    last: Math.min(columnCount - 1, columnAt(viewport.left + cellsWidth, offsets)),
    offsets,
  };
  useEnsureRows(source, viewport.rows.first, viewport.rows.last, sourceRow, version);

  const select = useCallback(
    (next: Selection) => {
      setSelection(next);
      const row = next.active.row;
      if (row >= 0) onActiveCell?.({ row: sourceRow(row), column: next.active.column });
    },
    [onActiveCell, sourceRow],
  );
  const show = (next: Selection) => {
    select(next);
    const { row, column } = next.active;
    const top = row < 0 ? viewport.top : topToShow(row, viewport.top, viewport.geometry);
    viewport.scrollTo(top, leftToShow(column, viewport.left, cellsWidth, offsets));
  };
  const open = () => {
    if (active.row >= 0) onOpenCell?.({ row: sourceRow(active.row), column: active.column });
  };
  const focus = () => scroller.current?.focus({ preventScroll: true });
  const goToRow = (row: number) => {
    select(startSelection({ row, column: active.column }));
    viewport.scrollTo(row * rowHeight - (viewport.height - rowHeight) / 2, viewport.left);
    focus();
  };
  useImperativeHandle(props.ref, () => ({
    focus,
    goToRow,
    move: (rows, moved) =>
      show(
        startSelection({
          row: Math.min(Math.max(active.row + rows, 0), rowCount - 1),
          column: Math.min(Math.max(active.column + moved, 0), columnCount - 1),
        }),
      ),
  }));

  const header = {
    onOpenPanel: (column: number) => setPanelColumn(column),
    onResize: widths.resize,
    onFit: (column: number) => {
      const { first, last } = viewport.rows;
      const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
        sourceRow(first + at),
      );
      widths.fit(column, rows);
    },
  };
  const onKeyDown = gridKeys({
    selection: { anchor: selection.anchor, active },
    isSingle,
    size: {
      rows: rowCount,
      columns: columnCount,
      rowsPerPage: Math.max(1, Math.floor(viewport.height / rowHeight) - 1),
    },
    width: (offsets[active.column + 1] ?? 0) - (offsets[active.column] ?? 0),
    header,
    select,
    show,
    open,
  });
  const pointer = usePointerSelection({
    scroller,
    viewport,
    offsets,
    rowCount,
    gutterWidth,
    headerHeight: HEADER_HEIGHT,
    selection,
    select,
    onOpen: open,
  });
  useKeepColumn(viewport, active.column, cellsWidth, offsets);
  const closePanel = () => {
    setPanelColumn(null);
    focus();
  };
  const isInSight =
    active.row === HEADER_ROW ||
    (active.row >= viewport.rows.first && active.row <= viewport.rows.last);
  const isColumnInSight = active.column >= columns.first && active.column <= columns.last;
  const spoken = copying.message;
  useEffect(() => {
    if (spoken) onAnnounce?.(spoken);
  }, [spoken, onAnnounce]);

  return (
    <section className={`firn-grid ${props.className ?? ''}`} aria-label={label}>
      <GridNotices
        source={source}
        arranged={arranged}
        onWrap={
          onWrapQuery &&
          (() => onWrapQuery(wrapRequest(source.rowType, arranged.sort, arranged.filters)))
        }
      />
      <div className="firn-grid-frame">
        {/* biome-ignore lint/a11y/useSemanticElements: a table would need all rows in the page */}
        <div
          ref={scroller}
          role="grid"
          tabIndex={0}
          className="firn-grid-scroller"
          aria-label={label}
          aria-multiselectable="true"
          aria-readonly="true"
          aria-rowcount={rowCount + 1}
          aria-colcount={columnCount + 1}
          aria-activedescendant={
            isInSight && isColumnInSight ? cellId(gridId, active.row, active.column) : undefined
          }
          onKeyDown={onKeyDown}
          onCopy={(event) => copying.onCopyEvent(event, selected)}
        >
          <div
            role="presentation"
            className="firn-grid-sizer"
            style={{
              height: HEADER_HEIGHT + viewport.barHeight,
              width: gutterWidth + (offsets.at(-1) ?? 0),
            }}
          >
            <div
              role="presentation"
              className="firn-grid-layer"
              style={{ width: viewport.width, height: viewport.height + HEADER_HEIGHT }}
            >
              <GridHeader
                {...header}
                gridId={gridId}
                source={source}
                columns={columns}
                left={viewport.left}
                height={HEADER_HEIGHT}
                gutterWidth={gutterWidth}
                selected={selected}
                active={active}
                sort={arranged.sort}
                filters={arranged.filters}
                openColumn={panelColumn}
                onSelectAll={() => select(allCells(rowCount, columnCount))}
                onSelectColumn={(column, isExtending) =>
                  select({
                    anchor: {
                      row: rowCount - 1,
                      column: isExtending ? selection.anchor.column : column,
                    },
                    active: { row: 0, column },
                  })
                }
              />
              <div role="presentation" {...pointer}>
                <GridRows
                  gridId={gridId}
                  source={source}
                  sourceRow={sourceRow}
                  rows={viewport.rows}
                  columns={columns}
                  selected={selected}
                  active={active}
                  top={viewport.top}
                  left={viewport.left}
                  rowHeight={rowHeight}
                  headerHeight={HEADER_HEIGHT}
                  gutterWidth={gutterWidth}
                  version={version}
                />
              </div>
            </div>
          </div>
        </div>
        {rowCount === 0 && <p className="firn-grid-none">No rows</p>}
        {panelColumn !== null && (
          <ColumnPanel
            key={panelColumn}
            source={source}
            index={panelColumn}
            arranged={arranged}
            left={gutterWidth + (offsets[panelColumn] ?? 0) - viewport.left}
            top={HEADER_HEIGHT}
            viewWidth={viewport.width}
            onFit={() => header.onFit(panelColumn)}
            onCopyName={copying.copyText}
            onClose={closePanel}
          />
        )}
      </div>
      <CopyNotice copying={copying} />
      <GridFooter
        rows={viewport.rows}
        rowCount={rowCount}
        sourceRowCount={source.rowCount}
        selected={selected}
        isSingleCell={isSingle}
        columnCount={columnCount}
        statistics={statistics}
        onGoToRow={goToRow}
        onCopy={(format) =>
          copying.copy(isSingle ? wholeRange(rowCount, columnCount) : selected, format)
        }
        onOpenCell={onOpenCell && open}
        onDownload={props.onDownload}
      />
      {!onAnnounce && (
        <div role="status" className="firn-grid-hidden">
          {spoken}
        </div>
      )}
    </section>
  );
}

function wholeRange(rows: number, columns: number): CellRange {
  return { firstRow: 0, lastRow: rows - 1, firstColumn: 0, lastColumn: columns - 1 };
}
