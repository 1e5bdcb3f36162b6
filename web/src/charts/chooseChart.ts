import type { RowSource } from '../grid/types';
import { distinctValues, isAverageLike, largest, roleIn, sampledRows } from './columnRoles';
import type { Aggregation, ChartChoice, ChartType } from './types';

const SERIES_MAX = 12;
const MEASURES_MAX = 4;
const BARS_MAX = 30;

/** The first choice for a result: one number as a number, time and number as a line, text and
 * number as bars, two numbers as dots, also where one is a key of many rows. Never a pie: that is a wish, not a guess. */
export function chooseChart(source: RowSource): ChartChoice | null {
  const roles = source.rowType.map((_, index) => roleIn(source, index));
  const all = (wanted: string) => roles.flatMap((role, index) => (role === wanted ? [index] : []));
  const measures = all('measure');
  const times = all('time');
  const categories = [...all('category'), ...all('key')];
  if (source.rowType.length === 0 || source.rowCount === 0) return null;

  if (source.rowCount === 1 && measures.length + times.length + categories.length > 0) {
    const shown = measures.length > 0 ? measures : [...all('key'), ...times, ...categories];
    return choice('number', null, null, shown.slice(0, MEASURES_MAX), 'none');
  }
  const [time] = times;
  const category = widestCategory(source, categories);
  if (measures.length === 0) return countChart(source, time ?? null, category);
  if (time !== undefined) return overTime(source, time, categories, measures);
  if (category !== null) return byCategory(source, category, categories, measures);
  const [first, second] = measures;
  if (first !== undefined && second !== undefined) {
    return choice('scatter', first, null, [second], 'none');
  }
  return choice(source.rowCount <= BARS_MAX ? 'bar' : 'line', null, null, measures, 'none');
}

function overTime(
  source: RowSource,
  time: number,
  categories: readonly number[],
  measures: readonly number[],
): ChartChoice {
  const series = measures.length === 1 ? seriesColumn(source, categories) : null;
  const shown = series === null ? comparable(source, measures) : measures.slice(0, 1);
  return choice('line', time, series, shown, aggregationFor(source, [time, series], shown));
}

/** Measures that can share an axis with the first, such as plan and actual. */
function comparable(source: RowSource, measures: readonly number[]): number[] {
  const [first] = measures;
  if (first === undefined) return [];
  const size = largest(source, first);
  return measures
    .filter((measure) => {
      const other = largest(source, measure);
      return measure === first || (other > size / 20 && other < size * 20);
    })
    .slice(0, MEASURES_MAX);
}

function byCategory(
  source: RowSource,
  category: number,
  categories: readonly number[],
  measures: readonly number[],
): ChartChoice {
  const others = categories.filter((column) => column !== category);
  const series = measures.length === 1 ? seriesColumn(source, others) : null;
  // Measures of different size, as revenue and orders, do not share an axis well: the first is drawn.
  const shown = measures.slice(0, 1);
  const aggregation = aggregationFor(source, [category, series], shown);
  const isKey = series === null && roleIn(source, category) === 'key';
  if (isKey && aggregation === 'none' && source.rowCount > BARS_MAX) {
    return choice('scatter', category, null, shown, 'none');
  }
  return {
    ...choice('bar', category, series, shown, aggregation),
    stacked: series !== null && aggregation !== 'avg',
    horizontal: series === null && distinctValues(source, [category]) > 8,
  };
}

function countChart(
  source: RowSource,
  time: number | null,
  category: number | null,
): ChartChoice | null {
  if (time !== null) return choice('line', time, null, [], 'count');
  if (category === null) return null;
  return {
    ...choice('bar', category, null, [], 'count'),
    horizontal: distinctValues(source, [category]) > 8,
  };
}

/** The category with most values is the axis; one with few can be the colour. */
function widestCategory(source: RowSource, categories: readonly number[]): number | null {
  let widest: number | null = null;
  let most = 0;
  for (const column of categories) {
    const distinct = distinctValues(source, [column]);
    if (distinct > most) {
      widest = column;
      most = distinct;
    }
  }
  return widest;
}

function seriesColumn(source: RowSource, categories: readonly number[]): number | null {
  const few = categories.find((column) => {
    const distinct = distinctValues(source, [column]);
    return distinct >= 2 && distinct <= SERIES_MAX;
  });
  return few ?? null;
}

/** Rows that share their place in the chart must be put together somehow. */
export function aggregationFor(
  source: RowSource,
  places: readonly (number | null)[],
  measures: readonly number[],
): Aggregation {
  const columns = places.filter((column) => column !== null);
  if (distinctValues(source, columns) === sampledRows(source)) return 'none';
  const averages = measures.every((measure) => {
    const column = source.rowType[measure];
    return column !== undefined && isAverageLike(column);
  });
  return averages ? 'avg' : 'sum';
}

function choice(
  type: ChartType,
  x: number | null,
  series: number | null,
  measures: readonly number[],
  aggregation: Aggregation,
): ChartChoice {
  return { type, x, series, measures, aggregation, stacked: false, horizontal: false };
}
