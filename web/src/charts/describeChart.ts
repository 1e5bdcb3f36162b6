import { count } from '../grid/counts';
import type { RowSource } from '../grid/types';
import { type ChartData, ROWS_READ_MAX } from './chartData';
import type { AxisNames } from './chartOption';
import { groupedNumber } from './numberText';
import type { ChartChoice } from './types';

const TYPE_NAMES = {
  bar: 'Bar chart',
  line: 'Line chart',
  area: 'Area chart',
  scatter: 'Scatter chart',
  pie: 'Pie chart',
  number: 'Number',
};
const AGGREGATION_NAMES = {
  none: '',
  sum: 'sum of ',
  avg: 'average of ',
  count: 'count of ',
  min: 'least ',
  max: 'greatest ',
};

export function axisNames(choice: ChartChoice, source: RowSource): AxisNames {
  const name = (column: number | null) =>
    column === null ? 'row' : (source.rowType[column]?.name ?? '');
  const measures = choice.measures.map(name).join(', ') || 'rows';
  const isRead = choice.type === 'scatter';
  return { x: name(choice.x), y: (isRead ? '' : AGGREGATION_NAMES[choice.aggregation]) + measures };
}

/** One sentence for people who do not see the picture; the table below it has the rest. */
export function describeChart(choice: ChartChoice, data: ChartData, names: AxisNames): string {
  const beginning = `${TYPE_NAMES[choice.type]} of ${names.y} by ${names.x}`;
  if (choice.type === 'scatter') {
    const points = data.points.reduce((sum, series) => sum + series.points.length, 0);
    return `${beginning}: ${count(points, 'point')} in ${count(data.points.length, 'colour')}.`;
  }
  const series = data.series.length > 1 ? ` in ${count(data.series.length)} series` : '';
  return `${beginning}: ${count(data.categories.length, 'place')}${series}.${extremes(data)}`;
}

function extremes(data: ChartData): string {
  let least: { value: string; place: string } | null = null;
  let most: { value: string; place: string } | null = null;
  for (const { values } of data.series) {
    for (const [index, value] of values.entries()) {
      if (value === null || !Number.isFinite(Number(value))) continue;
      const place = data.categories[index] ?? '';
      if (!least || Number(value) < Number(least.value)) least = { value, place };
      if (!most || Number(value) > Number(most.value)) most = { value, place };
    }
  }
  if (!least || !most || data.categories.length < 2) return '';
  const say = (at: { value: string; place: string }) => `${groupedNumber(at.value)} at ${at.place}`;
  return ` Greatest ${say(most)}, least ${say(least)}.`;
}

/** What the chart does not show, sentence by sentence. */
export function chartNotes(
  choice: ChartChoice,
  data: ChartData,
  source: RowSource,
  rowsToRead: number,
): string[] {
  const notes: string[] = [];
  if (data.rowsRead < rowsToRead) {
    notes.push(`Reading rows: ${count(data.rowsRead)} of ${count(rowsToRead)}.`);
  }
  if (source.rowCount > ROWS_READ_MAX) {
    notes.push(
      `A sample: drawn from the first ${count(ROWS_READ_MAX)} of ${count(source.rowCount, 'row')}.`,
    );
  }
  if (source.truncatedAt !== undefined) {
    notes.push(`The server cut the result after ${count(source.truncatedAt, 'row')}.`);
  }
  notes.push(...leftOutNotes(choice, data));
  notes.push(...valueNotes(data, axisNames(choice, source).x));
  return notes;
}

/** Each with where the rest is, or why it is nowhere. */
function leftOutNotes(choice: ChartChoice, data: ChartData): string[] {
  const notes: string[] = [];
  const { othersCount, leftOut, seriesInOthers, seriesLeftOut, rowsSkipped } = data;
  const how = choice.aggregation === 'none' ? ', added up' : '';
  if (othersCount > 0) {
    notes.push(
      `The ${data.categories.length - 1} greatest are shown; ${count(othersCount)} stand together as others${how}.`,
    );
  }
  if (leftOut > 0) {
    const drawn = count(data.categories.length);
    const which = data.isBySize ? `${drawn} greatest` : `first ${drawn}`;
    const why = data.isBySize ? ', for such values do not add up' : '';
    notes.push(`Only the ${which} are drawn; ${count(leftOut)} more are in the table alone${why}.`);
  }
  if (seriesInOthers > 0) {
    notes.push(
      `The ${data.series.length - 1} greatest series are shown; ${count(seriesInOthers)} stand together as others${how}.`,
    );
  }
  if (seriesLeftOut > 0) {
    notes.push(`${count(seriesLeftOut)} more series do not fit and are not drawn.`);
  }
  if (rowsSkipped > 0) {
    notes.push(
      `${count(rowsSkipped, 'row')} without both numbers ${isAre(rowsSkipped)} not drawn.`,
    );
  }
  return notes;
}

/** Of values and rows that this kind of chart cannot show. */
function valueNotes({ belowZero, notFinite, rowsWithoutPlace }: ChartData, x: string): string[] {
  const notes: string[] = [];
  if (belowZero > 0) {
    notes.push(
      `${count(belowZero, 'negative value')} ${isAre(belowZero)} left out: a pie shows parts of a whole.`,
    );
  }
  if (notFinite > 0) {
    const what = notFinite === 1 ? 'is no finite number' : 'are no finite numbers';
    notes.push(`${count(notFinite, 'value')} that ${what} ${isAre(notFinite)} left out.`);
  }
  if (rowsWithoutPlace > 0) {
    notes.push(
      `${count(rowsWithoutPlace, 'row')} whose ${x} is NULL ${isAre(rowsWithoutPlace)} left out.`,
    );
  }
  return notes;
}

const isAre = (number: number) => (number === 1 ? 'is' : 'are');
