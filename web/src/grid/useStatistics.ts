import { useCallback, useEffect, useRef, useState } from 'react';
import { type SelectionStatistics, StatisticsRun } from './statistics';
import type { CellRange, RowSource } from './types';
import { WINDOW_ROWS, waitForRows } from './waitForRows';

const STEP_MS = 12;
const SHOW_MS = 200;
const ROWS_PER_STEP = 1_000;
const REST_MS = 120;

export interface Statistics {
  result: SelectionStatistics | null;
  isRunning: boolean;
  error: string | null;
  /** Also of the rows that are not loaded: loads them, window after window. */
  loadAll(): void;
}

/** Of the selected cells that are loaded, computed in slices once the selection rests. */
export function useStatistics(
  source: RowSource,
  range: CellRange,
  sourceRow: (row: number) => number,
  isWanted: boolean,
): Statistics {
  const [result, setResult] = useState<SelectionStatistics | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  const { firstRow, lastRow, firstColumn, lastColumn } = range;

  const begin = useCallback(() => {
    stop.current.abort();
    stop.current = new AbortController();
    const selected = { firstRow, lastRow, firstColumn, lastColumn };
    return { signal: stop.current.signal, run: new StatisticsRun(source, selected, sourceRow) };
  }, [source, sourceRow, firstRow, lastRow, firstColumn, lastColumn]);

  useEffect(() => {
    setResult(null);
    setRunning(false);
    setError(null);
    if (!isWanted) return;
    const { signal, run } = begin();
    const timer = setTimeout(async () => {
      await inSlices(run, signal, Number.POSITIVE_INFINITY, setResult);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.current.abort();
    };
  }, [begin, isWanted]);

  const loadAll = useCallback(async () => {
    const { signal, run } = begin();
    setRunning(true);
    setError(null);
    try {
      for (let row = firstRow; row <= lastRow && !run.done; row += WINDOW_ROWS) {
        const last = Math.min(lastRow, row + WINDOW_ROWS - 1);
        await waitForRows({ source, sourceRow, column: firstColumn, signal }, row, last);
        await inSlices(run, signal, last, setResult);
        if (signal.aborted) return;
      }
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      if (!signal.aborted) setRunning(false);
    }
  }, [begin, source, sourceRow, firstRow, lastRow, firstColumn]);

  return { result, isRunning, error, loadAll };
}

async function inSlices(
  run: StatisticsRun,
  signal: AbortSignal,
  lastRow: number,
  show: (result: SelectionStatistics) => void,
): Promise<void> {
  let sliceEnd = performance.now() + STEP_MS;
  let shownAt = performance.now();
  while (!run.done && run.nextRow <= lastRow && !signal.aborted) {
    run.step(Math.min(ROWS_PER_STEP, lastRow - run.nextRow + 1));
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setTimeout(resolve));
    sliceEnd = performance.now() + STEP_MS;
    if (signal.aborted) return;
    if (sliceEnd - shownAt > SHOW_MS) {
      shownAt = sliceEnd;
      show(run.result());
    }
  }
  if (!signal.aborted) show(run.result());
}
