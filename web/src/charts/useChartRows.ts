import { useEffect, useState } from 'react';
import type { Cell, RowSource } from '../grid/types';
import { WINDOW_ROWS, waitForRows } from '../grid/waitForRows';
import { ROWS_READ_MAX } from './chartData';

export interface ChartRows {
  /** The cells read so far; only of the columns that were asked for. */
  rows: RowSource;
  error: string | null;
}

const REDRAW_MS = 500;

/** Keeps its own copy of the drawn columns, since the source may forget rows out of sight. */
export function useChartRows(source: RowSource, columns: readonly number[]): ChartRows {
  const key = columns.join(',');
  const [state, setState] = useState<ChartRows>({ rows: none(source), error: null });
  useEffect(() => {
    const stop = new AbortController();
    const wanted = key === '' ? [0] : key.split(',').map(Number);
    read(source, wanted, stop.signal, (rows) => setState({ rows, error: null })).catch(
      (failure: unknown) => {
        if (stop.signal.aborted) return;
        const error = failure instanceof Error ? failure.message : String(failure);
        setState((before) => ({ ...before, error }));
      },
    );
    return () => stop.abort();
  }, [source, key]);
  return state;
}

async function read(
  source: RowSource,
  columns: readonly number[],
  signal: AbortSignal,
  show: (rows: RowSource) => void,
): Promise<void> {
  const total = Math.min(ROWS_READ_MAX, source.rowCount);
  const cells = new Map<number, Cell[]>(columns.map((column) => [column, []]));
  const probe = columns[0] ?? 0;
  let shownAt = 0;
  for (let first = 0; first < total; first += WINDOW_ROWS) {
    const last = Math.min(total, first + WINDOW_ROWS) - 1;
    await waitForRows({ source, sourceRow: (row) => row, column: probe, signal }, first, last);
    if (signal.aborted) return;
    for (const [column, read] of cells) {
      for (let row = first; row <= last; row++) read.push(source.cell(row, column));
    }
    if (last + 1 < total && performance.now() - shownAt < REDRAW_MS) continue;
    shownAt = performance.now();
    show(copied(source, cells));
  }
  if (total === 0) show(none(source));
}

function copied(source: RowSource, cells: ReadonlyMap<number, readonly Cell[]>): RowSource {
  return { ...none(source), cell: (row, column) => cells.get(column)?.[row] };
}

function none(source: RowSource): RowSource {
  return {
    rowType: source.rowType,
    rowCount: source.rowCount,
    timeZone: source.timeZone,
    ensure: () => {},
    cell: () => undefined,
    subscribe: () => () => {},
  };
}
