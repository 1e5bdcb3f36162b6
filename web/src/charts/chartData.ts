import { cellText } from '../grid/cellText';
import { wireOfTyped } from '../grid/temporalText';
import type { RowSource } from '../grid/types';
import { roleIn } from './columnRoles';
import { GroupValue } from './groupValue';
import { drawableGroups, type Group, SERIES_MAX, shownGroups, shownSeries } from './shownParts';
import type { ChartChoice } from './types';

export const ROWS_READ_MAX = 50_000;

export interface ChartSeries {
  name: string;
  /** As decimal text, null where there is no value; one for every category. */
  values: readonly (string | null)[];
}

export interface ChartData {
  categories: readonly string[];
  /** Milliseconds since 1970 where the categories are days or instants, for an axis of time. */
  instants: readonly number[] | null;
  series: readonly ChartSeries[];
  /** Pairs of numbers per series, for dots. */
  points: readonly { name: string; points: readonly (readonly [number, number])[] }[];
  rowsRead: number;
  /** Rows of dots that are no pair of numbers. */
  rowsSkipped: number;
  /** Rows whose place on a line is NULL. */
  rowsWithoutPlace: number;
  /** NaN, infinity and other values that are no finite number. */
  notFinite: number;
  /** Negative values, where what is drawn are parts of a whole. */
  belowZero: number;
  /** Categories that were put together as "others". */
  othersCount: number;
  /** Categories beyond what a chart can show. */
  leftOut: number;
  /** The greatest categories come first; else they have an order of their own. */
  isBySize: boolean;
  /** Series that were put together as "others". */
  seriesInOthers: number;
  /** Series beyond what a chart can show. */
  seriesLeftOut: number;
}

/** Reads the loaded rows among the first 50,000. */
export function chartData(source: RowSource, choice: ChartChoice): ChartData {
  if (choice.type === 'scatter') return scatterData(source, choice);
  const groups = new Map<string, Group>();
  const names = new Set<string>();
  const rowsMax = Math.min(ROWS_READ_MAX, source.rowCount);
  const probe = probeColumn(choice);
  const needsPlace = isOnScale(source, choice);
  let rowsRead = 0;
  let rowsWithoutPlace = 0;
  let notFinite = 0;
  for (let row = 0; row < rowsMax; row++) {
    if (source.cell(row, probe) === undefined) continue;
    rowsRead++;
    if (needsPlace && source.cell(row, probe) === null) rowsWithoutPlace++;
    else notFinite += addRow(source, choice, row, groups, names);
  }
  const { drawable, belowZero } = drawableGroups(choice, [...groups.values()]);
  const { shown, othersCount, isBySize } = shownGroups(source, choice, drawable);
  const series = shownSeries(source, choice, shown, [...names]);
  const labels = shown.map((group) => group.label);
  const isTime = choice.x !== null && isTimeColumn(source, choice.x);
  return {
    categories: labels,
    instants: isTime ? instantsOf(labels) : null,
    series: series.names.map((name) => ({
      name,
      values: shown.map((group) => group.cells.get(name)?.result(choice.aggregation) ?? null),
    })),
    points: [],
    rowsRead,
    rowsSkipped: 0,
    rowsWithoutPlace,
    notFinite: choice.type === 'number' || choice.aggregation === 'count' ? 0 : notFinite,
    belowZero,
    othersCount,
    leftOut: drawable.length - shown.length - Math.max(othersCount - 1, 0),
    isBySize,
    seriesInOthers: series.othersCount,
    seriesLeftOut: names.size - series.names.length - Math.max(series.othersCount - 1, 0),
  };
}

/** A row is there if its cell in this column is. */
function probeColumn(choice: ChartChoice): number {
  return choice.x ?? choice.measures[0] ?? choice.series ?? 0;
}

/** The columns that a chart reads. */
export function neededColumns(choice: ChartChoice): number[] {
  const columns = [choice.x, choice.series, probeColumn(choice), ...choice.measures];
  return [...new Set(columns.filter((column) => column !== null))];
}

/** Lines and areas over times and numbers; NULL has no place there. */
function isOnScale(source: RowSource, { type, x }: ChartChoice): boolean {
  if (x === null || (type !== 'line' && type !== 'area')) return false;
  return ['time', 'measure'].includes(roleIn(source, x));
}

/** Adds a row to its group, and returns how many of its values are no finite number. */
function addRow(
  source: RowSource,
  choice: ChartChoice,
  row: number,
  groups: Map<string, Group>,
  names: Set<string>,
): number {
  const wire = choice.x === null ? String(row + 1) : (source.cell(row, choice.x) ?? null);
  const key = groupKey(choice, wire, row);
  let group = groups.get(key);
  if (!group) {
    group = { label: shown(source, choice.x, wire), wire, cells: new Map() };
    groups.set(key, group);
  }
  const measures = choice.measures.length === 0 ? [null] : choice.measures;
  let notFinite = 0;
  for (const measure of measures) {
    const name = seriesName(source, choice, row, measure);
    names.add(name);
    let cell = group.cells.get(name);
    if (!cell) {
      cell = new GroupValue();
      group.cells.set(name, cell);
    }
    if (!cell.add(measure === null ? '1' : source.cell(row, measure))) notFinite++;
  }
  return notFinite;
}

/** Without aggregation and series every row is a place of its own, even with the same label. */
function groupKey(choice: ChartChoice, wire: string | null, row: number): string {
  if (choice.type === 'number' && choice.aggregation !== 'none') return 'all rows';
  if (choice.aggregation === 'none' && choice.series === null) return `row ${row}`;
  return wire === null ? 'null' : `= ${wire}`;
}

function seriesName(
  source: RowSource,
  choice: ChartChoice,
  row: number,
  measure: number | null,
): string {
  const measureName = measure === null ? 'rows' : (source.rowType[measure]?.name ?? '');
  if (choice.series === null) return measureName;
  const value = shown(source, choice.series, source.cell(row, choice.series) ?? null);
  return choice.measures.length > 1 ? `${value} · ${measureName}` : value;
}

function shown(source: RowSource, column: number | null, wire: string | null): string {
  if (wire === null) return 'NULL';
  const type = column === null ? undefined : source.rowType[column];
  const text = type ? cellText(wire, type, source.timeZone) : wire;
  return text === '' ? '(empty)' : text.slice(0, 200);
}

export function isTimeColumn(source: RowSource, column: number): boolean {
  return roleIn(source, column) === 'time';
}

/** Null as soon as one label is no instant: years as numbers, times of day, NULL below a bar. */
function instantsOf(labels: readonly string[]): number[] | null {
  const instants: number[] = [];
  for (const label of labels) {
    const local = label.replace(/ [+-]\d{4}$/, '');
    const seconds = wireOfTyped(local, 'timestamp_ntz', 'UTC');
    if (seconds === null) return null;
    instants.push(Number(seconds) * 1000);
  }
  return instants;
}

function scatterData(source: RowSource, choice: ChartChoice): ChartData {
  const series = new Map<string, [number, number][]>();
  const rowsMax = Math.min(ROWS_READ_MAX, source.rowCount);
  const probe = probeColumn(choice);
  let rowsRead = 0;
  let rowsSkipped = 0;
  for (let row = 0; row < rowsMax; row++) {
    if (source.cell(row, probe) === undefined) continue;
    rowsRead++;
    const x = numberAt(source, row, choice.x);
    const pairs = choice.measures.map((measure) => numberAt(source, row, measure));
    if (x === null || pairs.includes(null)) rowsSkipped++;
    for (const [index, measure] of choice.measures.entries()) {
      const y = pairs[index] ?? null;
      if (x === null || y === null) continue;
      const name = seriesName(source, choice, row, measure);
      const points = series.get(name);
      if (points) points.push([x, y]);
      else series.set(name, [[x, y]]);
    }
  }
  const points = [...series].map(([name, pairs]) => ({ name, points: pairs }));
  const kept = points.slice(0, SERIES_MAX);
  return {
    categories: [],
    instants: null,
    series: [],
    points: kept,
    rowsRead,
    rowsSkipped,
    rowsWithoutPlace: 0,
    notFinite: 0,
    belowZero: 0,
    othersCount: 0,
    leftOut: 0,
    isBySize: false,
    seriesInOthers: 0,
    seriesLeftOut: points.length - kept.length,
  };
}

function numberAt(source: RowSource, row: number, column: number | null): number | null {
  if (column === null) return row + 1;
  const cell = source.cell(row, column);
  if (cell == null) return null;
  const value = Number(cell.split(' ')[0]);
  return Number.isFinite(value) ? value : null;
}
