import { typeFamily } from '../grid/cellText';
import type { ColumnType, RowSource } from '../grid/types';

/** What a column can be in a chart. Keys look like numbers, but nobody sums them. */
export type ColumnRole = 'measure' | 'time' | 'category' | 'key' | 'other';

const KEY_NAME = /(?:^|[_\s])(?:ID|KEY|CODE|NO|NUMBER|ZIP)$/i;
const CALENDAR_NAME =
  /(?:^|[_\s])(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR)(?:_?(?:NO|NUMBER|OF_\w+))?$/i;
const AVERAGE_NAME =
  /(?:^|[_\s])(?:AVG|AVERAGE|MEAN|RATE|RATIO|PCT|PERCENT|SHARE|PRICE|SCORE|AGE)(?:$|[_\s])/i;

export function columnRole(column: ColumnType): ColumnRole {
  switch (typeFamily(column)) {
    case 'temporal':
      return 'time';
    case 'number':
      if (CALENDAR_NAME.test(column.name) && !column.scale) return 'time';
      return KEY_NAME.test(column.name) && !column.scale ? 'key' : 'measure';
    case 'text':
    case 'boolean':
      return 'category';
    default:
      return 'other';
  }
}

/** Whether sums of the column say something, going by its name. */
export function isAverageLike(column: ColumnType): boolean {
  return AVERAGE_NAME.test(column.name);
}

const SAMPLE_ROWS = 2_000;

/** Different values among the first loaded rows, NULL counted as one. */
export function distinctValues(source: RowSource, columns: readonly number[]): number {
  const seen = new Set<string>();
  for (let row = 0; row < Math.min(SAMPLE_ROWS, source.rowCount); row++) {
    if (columns.some((column) => source.cell(row, column) === undefined)) continue;
    seen.add(JSON.stringify(columns.map((column) => source.cell(row, column))));
  }
  return seen.size;
}

export function sampledRows(source: RowSource): number {
  let rows = 0;
  for (let row = 0; row < Math.min(SAMPLE_ROWS, source.rowCount); row++) {
    if (source.cell(row, 0) !== undefined) rows++;
  }
  return rows;
}

/** The largest absolute value among the first loaded rows. */
export function largest(source: RowSource, column: number): number {
  let most = 0;
  for (let row = 0; row < Math.min(SAMPLE_ROWS, source.rowCount); row++) {
    const value = Math.abs(Number(source.cell(row, column) ?? 0));
    if (Number.isFinite(value)) most = Math.max(most, value);
  }
  return most;
}
