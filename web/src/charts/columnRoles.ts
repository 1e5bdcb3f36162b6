import { typeFamily } from '../grid/cellText';
import type { ColumnType, RowSource } from '../grid/types';

/** What a column can be in a chart. Keys look like numbers, but nobody sums them. */
export type ColumnRole = 'measure' | 'time' | 'category' | 'key' | 'other';

const KEY_NAME = /(?:^|[_\s])(?:ID|KEY|CODE|NO|NUMBER|ZIP)$/i;
const CALENDAR_NAME =
  /(?:^|[_\s])(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR)(?:_?(?:NO|NUMBER|OF_\w+))?$/i;
const AVERAGE_NAME = wordsIn(
  'AVG|AVERAGE|MEAN|MEDIAN|MIN|MAX|LEAST|GREATEST|LOWEST|HIGHEST|PERCENTILE|STDDEV|VARIANCE',
  'RATE|RATIO|PCT|PERCENT|SHARE|PRICE|SCORE|AGE|DISTINCT|UNIQUE',
);

/** Words between anything but letters: `AVG_PRICE`, `AVG(AMOUNT)`. */
function wordsIn(...words: string[]): RegExp {
  return new RegExp(`(?:^|[^A-Z])(?:${words.join('|')})(?:$|[^A-Z])`, 'i');
}

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

const YEAR_MIN = 1900;
const YEAR_MAX = 2100;

/** The role of a column in a result: the first one, with other numbers behind it, may hold years under any name. */
export function roleIn(source: RowSource, index: number): ColumnRole {
  const column = source.rowType[index];
  if (column === undefined) return 'other';
  const role = columnRole(column);
  return role === 'measure' && index === 0 && holdsYears(source, column) ? 'time' : role;
}

function holdsYears(source: RowSource, column: ColumnType): boolean {
  const others = source.rowType.slice(1).map(columnRole);
  if (column.type !== 'fixed' || column.scale || !others.includes('measure')) return false;
  const seen = new Set<string>();
  for (let row = 0; row < Math.min(SAMPLE_ROWS, source.rowCount); row++) {
    const value = source.cell(row, 0);
    if (value === undefined || value === null) continue;
    if (!/^\d{4}$/.test(value) || Number(value) < YEAR_MIN || Number(value) > YEAR_MAX)
      return false;
    seen.add(value);
  }
  return seen.size > 1;
}

/** Whether sums of the column say nothing, going by its name. */
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
