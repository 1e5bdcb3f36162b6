import type { RowSource } from './types';

/** So many rows are loaded at a time where all of a selection are needed. */
export const WINDOW_ROWS = 5_000;
const WAIT_MS = 60_000;

export interface WaitRequest {
  source: RowSource;
  sourceRow: (row: number) => number;
  /** A row counts as loaded if its cell in this column is. */
  column: number;
  signal?: AbortSignal;
}

export async function waitForRows(
  { source, sourceRow, column, signal }: WaitRequest,
  first: number,
  last: number,
): Promise<void> {
  const isMissing = (): boolean => {
    for (let row = first; row <= last; row++) {
      if (source.cell(sourceRow(row), column) === undefined) return true;
    }
    return false;
  };
  const ask = () => {
    let least = Number.POSITIVE_INFINITY;
    let most = -1;
    for (let row = first; row <= last; row++) {
      least = Math.min(least, sourceRow(row));
      most = Math.max(most, sourceRow(row));
    }
    source.ensure(least, most);
  };
  if (!isMissing()) return;
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error) => {
      stop();
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    };
    const abort = () => finish(new Error('Stopped.'));
    const timer = setTimeout(
      () => finish(new Error(`Rows from ${first + 1} on did not arrive within a minute.`)),
      WAIT_MS,
    );
    const stop = source.subscribe(() => {
      if (!isMissing()) finish();
      else if (source.error) finish(new Error(source.error));
      else ask();
    });
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    ask();
  });
}
