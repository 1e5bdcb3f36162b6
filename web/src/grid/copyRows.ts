import { copyWriter } from './copyText';
import type { Cell, CellRange, CopyFormat, RowSource } from './types';
import { WINDOW_ROWS, waitForRows } from './waitForRows';

export const COPY_ROWS_MAX = 100_000;
/** Larger texts make the clipboard of most systems fail. */
export const COPY_CHARACTERS_MAX = 64_000_000;

export interface CopyRequest {
  source: RowSource;
  range: CellRange;
  format: CopyFormat;
  /** From a row of the grid to a row of the source, where a sort or filter stands between. */
  sourceRow: (row: number) => number;
  rowsMax: number;
  insertTable?: string;
  onProgress?: (rows: number) => void;
  signal?: AbortSignal;
}

export interface CopyResult {
  text: string;
  rows: number;
  /** Rows of the selection that a limit kept out. */
  rowsLeftOut: number;
}

export function rowsLoaded(request: CopyRequest): boolean {
  const { source, range, sourceRow } = request;
  for (let row = range.firstRow; row <= range.lastRow; row++) {
    if (source.cell(sourceRow(row), range.firstColumn) === undefined) return false;
  }
  return true;
}

/** For a selection that is in memory, so that the copy happens within the key press. */
export function copyLoadedRows(request: CopyRequest): CopyResult {
  const writing = startWriting(request);
  for (let row = request.range.firstRow; row <= writing.lastRow && !writing.full(); row++) {
    writing.add(row);
  }
  return writing.result();
}

/** Loads window after window: the source may forget rows that are out of sight. */
export async function copyAllRows(request: CopyRequest): Promise<CopyResult> {
  const writing = startWriting(request);
  let row = request.range.firstRow;
  while (row <= writing.lastRow && !writing.full()) {
    const last = Math.min(writing.lastRow, row + WINDOW_ROWS - 1);
    await waitForRows({ ...request, column: request.range.firstColumn }, row, last);
    for (; row <= last && !writing.full(); row++) writing.add(row);
    request.onProgress?.(row - request.range.firstRow);
  }
  return writing.result();
}

function startWriting({ source, range, format, sourceRow, rowsMax, insertTable }: CopyRequest) {
  const columns = source.rowType.slice(range.firstColumn, range.lastColumn + 1);
  const writer = copyWriter(format, columns, { timeZone: source.timeZone, insertTable });
  const lastRow = Math.min(range.lastRow, range.firstRow + rowsMax - 1);
  let rows = 0;
  return {
    lastRow,
    full: () => writer.length > COPY_CHARACTERS_MAX,
    add(row: number) {
      const cells: Cell[] = columns.map((_, index) =>
        source.cell(sourceRow(row), range.firstColumn + index),
      );
      writer.row(cells);
      rows++;
    },
    result: (): CopyResult => ({
      text: writer.text(),
      rows,
      rowsLeftOut: range.lastRow - range.firstRow + 1 - rows,
    }),
  };
}
