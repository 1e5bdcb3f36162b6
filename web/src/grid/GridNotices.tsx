import { count } from './counts';
import type { RowSource } from './types';
import type { SortAndFilter } from './useRowView';

export interface GridNoticesProps {
  source: RowSource;
  arranged: SortAndFilter;
  onWrap?: () => void;
}

/** Lines above the grid that say what it does not show. */
export function GridNotices({ source, arranged, onWrap }: GridNoticesProps) {
  const { view } = arranged;
  const isPart = view !== null && view.loaded < source.rowCount;
  return (
    <>
      {source.truncatedAt !== undefined && (
        <p className="firn-grid-notice firn-grid-warning">
          <span aria-hidden="true">⚠ </span>The server cut this result after{' '}
          {count(source.truncatedAt, 'row')}; there are more that it did not keep. Narrow the
          statement to see them.
        </p>
      )}
      {source.error && (
        <p className="firn-grid-notice firn-grid-problem" role="alert">
          Rows could not be loaded: {source.error}
        </p>
      )}
      {view && (
        <p className="firn-grid-notice">
          {describe(arranged, source)}
          {isPart && (
            <>
              {' '}
              Only the {count(view.loaded)} loaded of {count(source.rowCount, 'row')} were looked
              at.
            </>
          )}{' '}
          {isPart && onWrap && (
            <button type="button" onClick={onWrap}>
              All rows: wrap in a query
            </button>
          )}
          {isPart && (
            <button type="button" onClick={arranged.refresh}>
              Again with rows loaded since
            </button>
          )}
          <button type="button" onClick={arranged.clear}>
            Clear
          </button>
        </p>
      )}
    </>
  );
}

function describe({ sort, filters, view }: SortAndFilter, source: RowSource): string {
  const name = (column: number) => source.rowType[column]?.name ?? '';
  const parts: string[] = [];
  if (filters.length > 0) {
    const columns = filters.map((filter) => name(filter.column)).join(', ');
    parts.push(`${count(view?.rows.length ?? 0, 'row')} pass the filter of ${columns}.`);
  }
  for (const by of sort) {
    parts.push(`Sorted by ${name(by.column)}, ${by.descending ? 'descending' : 'ascending'}.`);
  }
  return parts.join(' ');
}
