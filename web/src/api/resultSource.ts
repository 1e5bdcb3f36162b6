// The rows of a stored result, for the grid and the charts. The first partition stays in memory; of
// the others, the 8 that were asked for last.
import type { Cell, ColumnType, RowSource } from '../grid';
import { messageOf } from './failure';
import { cellOf, type PartitionCells } from './partitionCells';
import { parsePartition } from './partitionParser';
import { fetchPartition, RESULT_WAS_CUT, type ResultAnswer } from './statements';

const KEPT_MAX = 8;
const LOADING_MAX = 2;
const RETRY_MS = 3000;

export class ResultSource implements RowSource {
  readonly rowType: readonly ColumnType[];
  readonly rowCount: number;
  readonly truncatedAt?: number;
  readonly handle: string;
  error: string | null = null;

  private readonly firstRows: (string | null)[][];
  /** The first row of each partition, and behind the last one the number of rows. */
  private readonly starts: number[];
  private readonly kept = new Map<number, PartitionCells>();
  private readonly loading = new Set<number>();
  private readonly failedAt = new Map<number, number>();
  private wanted: number[] = [];
  private readonly listeners = new Set<() => void>();
  private lastFound = 0;

  constructor(answer: ResultAnswer) {
    this.rowType = answer.resultSetMetaData.rowType;
    this.rowCount = answer.resultSetMetaData.numRows;
    this.handle = answer.statementHandle;
    this.firstRows = answer.data;
    this.starts = [0];
    for (const { rowCount } of answer.resultSetMetaData.partitionInfo) {
      this.starts.push((this.starts.at(-1) ?? 0) + rowCount);
    }
    if (answer.code === RESULT_WAS_CUT) this.truncatedAt = this.rowCount;
  }

  ensure(first: number, last: number): void {
    const from = this.partitionOf(Math.max(first, 0));
    const to = this.partitionOf(Math.min(last, this.rowCount - 1));
    this.wanted = [];
    for (let partition = from; partition <= to && this.wanted.length < KEPT_MAX; partition += 1) {
      if (partition === 0) continue;
      const cells = this.kept.get(partition);
      if (cells !== undefined) {
        this.kept.delete(partition);
        this.kept.set(partition, cells);
      } else this.wanted.push(partition);
    }
    this.loadNext();
  }

  cell(row: number, column: number): Cell {
    const partition = this.partitionOf(row);
    if (partition === 0) return this.firstRows[row]?.[column];
    const cells = this.kept.get(partition);
    if (cells === undefined) return undefined;
    return cellOf(cells, row - (this.starts[partition] ?? 0), column);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Neighbouring rows are asked for one after the other, so the last partition found is tried first. */
  private partitionOf(row: number): number {
    const { starts } = this;
    if (row >= (starts[this.lastFound] ?? 0) && row < (starts[this.lastFound + 1] ?? 0)) {
      return this.lastFound;
    }
    let low = 0;
    let high = Math.max(starts.length - 2, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    this.lastFound = low;
    return low;
  }

  private loadNext(): void {
    const now = Date.now();
    for (const partition of this.wanted) {
      if (this.loading.size >= LOADING_MAX) return;
      if (this.loading.has(partition) || this.kept.has(partition)) continue;
      if (now - (this.failedAt.get(partition) ?? 0) < RETRY_MS) continue;
      this.loading.add(partition);
      void this.load(partition);
    }
  }

  private async load(partition: number): Promise<void> {
    const rows = (this.starts[partition + 1] ?? 0) - (this.starts[partition] ?? 0);
    try {
      const bytes = await fetchPartition(this.handle, partition);
      this.keep(partition, await parsePartition(bytes, this.rowType.length, rows));
      this.failedAt.delete(partition);
      this.error = null;
    } catch (error) {
      this.failedAt.set(partition, Date.now());
      this.error = messageOf(error);
      setTimeout(() => this.loadNext(), RETRY_MS);
    }
    this.loading.delete(partition);
    for (const listener of this.listeners) listener();
    this.loadNext();
  }

  private keep(partition: number, cells: PartitionCells): void {
    this.kept.set(partition, cells);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_MAX) return;
      this.kept.delete(oldest);
    }
  }
}
