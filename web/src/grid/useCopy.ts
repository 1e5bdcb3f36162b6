import { type ClipboardEvent, useCallback, useRef, useState } from 'react';
import { copyText } from '../components/copyText';
import {
  COPY_ROWS_MAX,
  type CopyRequest,
  type CopyResult,
  copyAllRows,
  copyLoadedRows,
  rowsLoaded,
} from './copyRows';
import { COPY_FORMATS } from './copyText';
import { count } from './counts';
import type { CellRange, CopyFormat, ResultGridProps } from './types';

/** More rows than this are copied in slices, even if they are loaded. */
const AT_ONCE_CELLS_MAX = 200_000;

export interface Copying {
  /** What the last copy did or what the running one has read. */
  message: string | null;
  isRunning: boolean;
  /** Text that waits for one more click, because the browser forgot the first. */
  isReady: boolean;
  copy(range: CellRange, format: CopyFormat): void;
  copyText(text: string): void;
  onCopyEvent(event: ClipboardEvent, range: CellRange): void;
  copyReady(): void;
  stop(): void;
  dismiss(): void;
}

export function useCopy(
  { source, copyRowsMax = COPY_ROWS_MAX, insertTable, onDownload }: ResultGridProps,
  sourceRow: (row: number) => number,
): Copying {
  const [message, setMessage] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [ready, setReady] = useState<string | null>(null);
  const stopping = useRef(new AbortController());

  const request = useCallback(
    (range: CellRange, format: CopyFormat): CopyRequest => ({
      source,
      range,
      format,
      sourceRow,
      rowsMax: copyRowsMax,
      insertTable,
    }),
    [source, sourceRow, copyRowsMax, insertTable],
  );

  const report = (asked: CopyRequest, result: CopyResult, isCopied: boolean) => {
    const columns = asked.range.lastColumn - asked.range.firstColumn + 1;
    const name = COPY_FORMATS.find(({ format }) => format === asked.format)?.name ?? '';
    const what = `${count(result.rows, 'row')} × ${count(columns, 'column')} as ${name}`;
    const left =
      result.rowsLeftOut > 0
        ? ` ${count(result.rowsLeftOut, 'further row')} not copied: a copy ends at ${count(copyRowsMax, 'row')} or 64 million characters.${onDownload ? ' Download has all rows.' : ''}`
        : '';
    setReady(isCopied ? null : result.text);
    setMessage(isCopied ? `Copied ${what}.${left}` : `${what} ready to copy.${left}`);
  };

  const copyInPieces = async (asked: CopyRequest) => {
    stopping.current.abort();
    const stop = new AbortController();
    stopping.current = stop;
    setRunning(true);
    setReady(null);
    const rows = Math.min(copyRowsMax, asked.range.lastRow - asked.range.firstRow + 1);
    const onProgress = (read: number) =>
      setMessage(`Reading rows to copy: ${count(read)} of ${count(rows)}`);
    onProgress(0);
    try {
      const result = await copyAllRows({ ...asked, onProgress, signal: stop.signal });
      report(asked, result, await copyText(result.text));
    } catch (failure) {
      const reason = failure instanceof Error ? failure.message : String(failure);
      if (stopping.current === stop) setMessage(`Nothing was copied. ${reason}`);
    } finally {
      if (stopping.current === stop) setRunning(false);
    }
  };

  const isAtOnce = ({ range, ...asked }: CopyRequest) =>
    (range.lastRow - range.firstRow + 1) * (range.lastColumn - range.firstColumn + 1) <=
      AT_ONCE_CELLS_MAX && rowsLoaded({ ...asked, range });

  return {
    message,
    isRunning,
    isReady: ready !== null,
    copy: async (range, format) => {
      const asked = request(range, format);
      if (!isAtOnce(asked)) return copyInPieces(asked);
      const result = copyLoadedRows(asked);
      report(asked, result, await copyText(result.text));
    },
    copyText: async (text) => {
      if (await copyText(text)) setMessage(`Copied ${text}`);
    },
    // The event needs no permission and works on plain http.
    onCopyEvent: (event, range) => {
      event.preventDefault();
      const asked = request(range, 'tsv');
      if (!isAtOnce(asked)) return copyInPieces(asked);
      const result = copyLoadedRows(asked);
      event.clipboardData.setData('text/plain', result.text);
      report(asked, result, true);
    },
    copyReady: async () => {
      if (ready === null || !(await copyText(ready))) return;
      setReady(null);
      setMessage('Copied.');
    },
    stop: () => stopping.current.abort(),
    dismiss: () => setMessage(null),
  };
}
