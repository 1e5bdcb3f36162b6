import { DecimalSum, divideDecimal, shortDecimalText } from '../grid/decimal';
import { compareWire } from '../grid/wireOrder';
import type { Aggregation } from './types';

const NUMBER = { type: 'fixed' };

/** Everything that any aggregation needs, so that groups can be put together afterwards. */
export class GroupValue {
  private sum = new DecimalSum();
  private values = 0;
  private least: string | null = null;
  private most: string | null = null;
  private last: string | null = null;
  private rows = 0;

  /** False if the cell is neither NULL nor a finite number, as NaN and inf: it is in no sum. */
  add(cell: string | null | undefined): boolean {
    this.rows++;
    if (cell == null) return true;
    this.last = cell;
    if (!this.sum.add(cell)) return false;
    this.values++;
    if (this.least === null || compareWire(cell, this.least, NUMBER) < 0) this.least = cell;
    if (this.most === null || compareWire(cell, this.most, NUMBER) > 0) this.most = cell;
    return true;
  }

  merge(other: GroupValue): void {
    this.sum.add(shortDecimalText(other.sum.total()));
    this.values += other.values;
    this.rows += other.rows;
    if (
      other.least !== null &&
      (this.least === null || compareWire(other.least, this.least, NUMBER) < 0)
    ) {
      this.least = other.least;
    }
    if (
      other.most !== null &&
      (this.most === null || compareWire(other.most, this.most, NUMBER) > 0)
    ) {
      this.most = other.most;
    }
  }

  result(aggregation: Aggregation): string | null {
    if (aggregation === 'count') return String(this.rows);
    if (this.values === 0) return aggregation === 'none' ? this.last : null;
    switch (aggregation) {
      case 'avg':
        return shortDecimalText(divideDecimal(this.sum.total(), this.values));
      case 'min':
        return this.least;
      case 'max':
        return this.most;
      default:
        return shortDecimalText(this.sum.total());
    }
  }
}
