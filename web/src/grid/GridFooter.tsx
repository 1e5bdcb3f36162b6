import { type FormEvent, useState } from 'react';
import { CopyMenu } from './CopyMenu';
import { count } from './counts';
import type { CellRange, CopyFormat } from './types';
import type { Statistics } from './useStatistics';

export interface GridFooterProps {
  rows: { first: number; last: number };
  rowCount: number;
  /** Of the whole result, where a filter shows fewer. */
  sourceRowCount: number;
  selected: CellRange;
  isSingleCell: boolean;
  columnCount: number;
  statistics: Statistics;
  onGoToRow(row: number): void;
  onCopy(format: CopyFormat): void;
  onOpenCell?: () => void;
  onDownload?: () => void;
}

export function GridFooter(props: GridFooterProps) {
  const { rows, rowCount, sourceRowCount, selected, isSingleCell } = props;
  const selectedRows = selected.lastRow - selected.firstRow + 1;
  const selectedColumns = selected.lastColumn - selected.firstColumn + 1;
  return (
    <div className="firn-grid-footer">
      <span className="firn-grid-position">
        {rowCount === 0
          ? 'no rows'
          : `rows ${count(rows.first + 1)}–${count(rows.last + 1)} of ${count(rowCount)}`}
        {rowCount !== sourceRowCount && ` (of ${count(sourceRowCount)} in the result)`}
      </span>
      <GoToRow rowCount={rowCount} onGo={props.onGoToRow} />
      <SelectionStatisticsText statistics={props.statistics} />
      <span className="firn-grid-actions">
        {props.onOpenCell && rowCount > 0 && (
          <button type="button" onClick={props.onOpenCell}>
            Value
          </button>
        )}
        <CopyMenu
          what={
            isSingleCell
              ? `all ${count(rowCount, 'row')} × ${count(props.columnCount, 'column')}`
              : `${count(selectedRows, 'row')} × ${count(selectedColumns, 'column')}`
          }
          onCopy={props.onCopy}
        />
        {props.onDownload && (
          <button type="button" onClick={props.onDownload}>
            Download all
          </button>
        )}
      </span>
    </div>
  );
}

function GoToRow({ rowCount, onGo }: { rowCount: number; onGo(row: number): void }) {
  const [typed, setTyped] = useState('');
  const go = (event: FormEvent) => {
    event.preventDefault();
    const row = Number(typed.replaceAll(/[\s,_]/g, ''));
    if (!Number.isFinite(row) || typed.trim() === '') return;
    onGo(Math.min(Math.max(Math.round(row), 1), rowCount) - 1);
  };
  return (
    <form className="firn-grid-go" onSubmit={go}>
      <input
        aria-label="Go to row"
        placeholder="go to row"
        inputMode="numeric"
        value={typed}
        disabled={rowCount === 0}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}

function SelectionStatisticsText({ statistics }: { statistics: Statistics }) {
  const { result, isRunning, error } = statistics;
  if (!result) return <span className="firn-grid-statistics" />;
  const figures: [string, string | null][] = [
    ['sum', result.sum],
    ['avg', result.average],
    ['min', result.minimum],
    ['max', result.maximum],
  ];
  return (
    <span className="firn-grid-statistics">
      <Figure name="cells" value={count(result.cells)} />
      <Figure name="not null" value={count(result.nonNull)} />
      {figures.map(
        ([name, value]) => value !== null && <Figure key={name} name={name} value={value} />,
      )}
      {result.counted < result.cells && (
        <span className="firn-grid-part">
          of {count(result.counted, 'loaded cell')}
          {isRunning ? ' so far' : ''}
        </span>
      )}
      {result.rowsSkipped > 0 && !isRunning && (
        <button type="button" onClick={statistics.loadAll}>
          Load the rest
        </button>
      )}
      {error && <span className="firn-grid-problem">{error}</span>}
    </span>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <span className="firn-grid-figure">
      <span className="firn-grid-figure-name">{name}</span> <b title={value}>{value}</b>
    </span>
  );
}
