import { useCallback, useMemo, useState } from 'react';
import { buildRowView, type RowView } from './rowView';
import type { ColumnFilter, ColumnSort, RowSource } from './types';

export interface SortAndFilter {
  sort: readonly ColumnSort[];
  filters: readonly ColumnFilter[];
  view: RowView | null;
  rowCount: number;
  sourceRow(row: number): number;
  sortBy(sort: ColumnSort | null): void;
  filterBy(column: number, filter: ColumnFilter | null): void;
  /** Once more, with the rows that were loaded since. */
  refresh(): void;
  clear(): void;
}

interface State {
  sort: readonly ColumnSort[];
  filters: readonly ColumnFilter[];
  view: RowView | null;
}

const NONE: State = { sort: [], filters: [], view: null };

export function useRowView(source: RowSource): SortAndFilter {
  const [state, setState] = useState<State>(NONE);
  const { sort, filters, view } = state;

  const apply = useCallback(
    (next: Omit<State, 'view'>) => {
      const none = next.sort.length === 0 && next.filters.length === 0;
      setState(none ? NONE : { ...next, view: buildRowView(source, next.sort, next.filters) });
    },
    [source],
  );
  const sourceRow = useMemo(() => {
    const rows = view?.rows;
    return rows ? (row: number) => rows[row] ?? -1 : (row: number) => row;
  }, [view]);

  return {
    sort,
    filters,
    view,
    rowCount: view ? view.rows.length : source.rowCount,
    sourceRow,
    sortBy: (by) => apply({ sort: by ? [by] : [], filters }),
    filterBy: (column, filter) => {
      const others = filters.filter((other) => other.column !== column);
      apply({ sort, filters: filter ? [...others, filter] : others });
    },
    refresh: () => apply({ sort, filters }),
    clear: () => setState(NONE),
  };
}
