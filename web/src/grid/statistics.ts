import { cellText, typeFamily } from './cellText';
import { DecimalSum, divideDecimal, shortDecimalText } from './decimal';
import type { CellRange, RowSource } from './types';
import { compareWire } from './wireOrder';

export interface SelectionStatistics {
  /** Cells of the selection, loaded or not. */
  cells: number;
  /** Cells that were looked at: the loaded ones, up to a limit. */
  counted: number;
  nonNull: number;
  /** Rows of the selection of which no cell was looked at. */
  rowsSkipped: number;
  sum: string | null;
  average: string | null;
  minimum: string | null;
  maximum: string | null;
}

export const STATISTICS_CELLS_MAX = 2_000_000;

/** Goes over a selection in steps, so that the page stays responsive. */
export class StatisticsRun {
  private readonly sums = new DecimalSum();
  nextRow: number;
  private counted = 0;
  private nonNull = 0;
  private rowsCounted = 0;
  private numbers = 0;
  private notFinite: string[] = [];
  private minimum: string | null = null;
  private maximum: string | null = null;
  /** The column in whose order least and greatest make sense, or null for mixed columns. */
  private readonly orderColumn: number | null;

  constructor(
    private readonly source: RowSource,
    private readonly range: CellRange,
    private readonly sourceRow: (row: number) => number,
  ) {
    this.nextRow = range.firstRow;
    this.orderColumn = commonOrder(source, range);
  }

  get done(): boolean {
    return this.nextRow > this.range.lastRow || this.counted >= STATISTICS_CELLS_MAX;
  }

  step(rowsMax: number): void {
    const last = Math.min(this.range.lastRow, this.nextRow + rowsMax - 1);
    for (let row = this.nextRow; row <= last; row++) this.countRow(this.sourceRow(row));
    this.nextRow = last + 1;
  }

  result(): SelectionStatistics {
    const { firstRow, lastRow, firstColumn, lastColumn } = this.range;
    const rows = lastRow - firstRow + 1;
    const text = (wire: string | null) => {
      const column = this.orderColumn === null ? undefined : this.source.rowType[this.orderColumn];
      return wire === null || !column ? null : cellText(wire, column, this.source.timeZone);
    };
    return {
      cells: rows * (lastColumn - firstColumn + 1),
      counted: this.counted,
      nonNull: this.nonNull,
      rowsSkipped: rows - this.rowsCounted,
      ...this.totals(),
      minimum: text(this.minimum),
      maximum: text(this.maximum),
    };
  }

  private totals(): { sum: string | null; average: string | null } {
    if (this.numbers === 0) return { sum: null, average: null };
    if (this.notFinite.length > 0) {
      const same = this.notFinite.every((text) => text === this.notFinite[0]);
      const sum = same ? (this.notFinite[0] ?? 'NaN') : 'NaN';
      return { sum, average: sum };
    }
    const total = this.sums.total();
    return {
      sum: shortDecimalText(total),
      average: shortDecimalText(divideDecimal(total, this.numbers)),
    };
  }

  private countRow(row: number): void {
    const { firstColumn, lastColumn } = this.range;
    let loaded = false;
    for (let column = firstColumn; column <= lastColumn; column++) {
      const value = this.source.cell(row, column);
      if (value === undefined) continue;
      loaded = true;
      this.counted++;
      if (value === null) continue;
      this.nonNull++;
      this.countValue(value, column);
    }
    if (loaded) this.rowsCounted++;
  }

  private countValue(value: string, column: number): void {
    const type = this.source.rowType[column];
    if (!type) return;
    if (typeFamily(type) === 'number') {
      this.numbers++;
      if (!this.sums.add(value)) this.notFinite.push(value);
    }
    if (this.orderColumn === null) return;
    if (this.minimum === null || compareWire(value, this.minimum, type) < 0) this.minimum = value;
    if (this.maximum === null || compareWire(value, this.maximum, type) > 0) this.maximum = value;
  }
}

function commonOrder(source: RowSource, range: CellRange): number | null {
  const first = source.rowType[range.firstColumn];
  if (!first) return null;
  const family = typeFamily(first);
  if (family !== 'number' && family !== 'temporal') return null;
  for (let column = range.firstColumn + 1; column <= range.lastColumn; column++) {
    const other = source.rowType[column];
    if (!other || typeFamily(other) !== family) return null;
    if (family === 'temporal' && other.type !== first.type) return null;
  }
  return range.firstColumn;
}
