import { cellText } from '../grid/cellText';
import { wireOfTyped } from '../grid/temporalText';
import type { RowSource } from '../grid/types';
import { compareWire } from '../grid/wireOrder';
import { columnRole } from './columnRoles';
import { GroupValue } from './groupValue';
import type { Aggregation, ChartChoice } from './types';

export const ROWS_READ_MAX = 50_000;
export const BARS_MAX = 30;
const SLICES_MAX = 12;
const LINE_POINTS_MAX = 5_000;
const SERIES_MAX = 20;
export const OTHERS = 'others';

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
  /** Categories that were put together as "others". */
  othersCount: number;
  /** Categories or series beyond what a chart can show. */
  leftOut: number;
}

/** Reads the loaded rows among the first 50,000. */
export function chartData(source: RowSource, choice: ChartChoice): ChartData {
  if (choice.type === 'scatter') return scatterData(source, choice);
  const groups = new Map<string, Group>();
  const names = new Set<string>();
  const rowsMax = Math.min(ROWS_READ_MAX, source.rowCount);
  const probe = probeColumn(choice);
  let rowsRead = 0;
  for (let row = 0; row < rowsMax; row++) {
    if (source.cell(row, probe) === undefined) continue;
    rowsRead++;
    addRow(source, choice, row, groups, names);
  }
  const ordered = orderGroups(source, choice, [...groups.values()]);
  const isBars = choice.type === 'bar' || choice.type === 'pie';
  const isTime = choice.x !== null && isTimeColumn(source, choice.x);
  const canFold = isBars && !isTime && choice.x !== null;
  const most = choice.type === 'pie' ? SLICES_MAX : BARS_MAX;
  const fold = canFold && ordered.length > most ? most - 1 : ordered.length;
  const shownMax = isBars && !canFold ? 400 : LINE_POINTS_MAX;
  const shown = ordered.slice(0, Math.min(fold, shownMax));
  const rest = canFold ? ordered.slice(fold) : [];
  if (rest.length > 0) shown.push(mergeGroups(rest));
  const kept = [...names].slice(0, SERIES_MAX);
  return {
    categories: shown.map((group) => group.label),
    instants: isTime ? instantsOf(shown.map((group) => group.label)) : null,
    series: kept.map((name) => ({
      name,
      values: shown.map((group) => group.cells.get(name)?.result(choice.aggregation) ?? null),
    })),
    points: [],
    rowsRead,
    othersCount: rest.length,
    leftOut: Math.max(0, ordered.length - shown.length - rest.length) + names.size - kept.length,
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

interface Group {
  label: string;
  wire: string | null;
  cells: Map<string, GroupValue>;
}

function addRow(
  source: RowSource,
  choice: ChartChoice,
  row: number,
  groups: Map<string, Group>,
  names: Set<string>,
): void {
  const wire = choice.x === null ? String(row + 1) : (source.cell(row, choice.x) ?? null);
  const key = groupKey(choice, wire, row);
  let group = groups.get(key);
  if (!group) {
    group = { label: shown(source, choice.x, wire), wire, cells: new Map() };
    groups.set(key, group);
  }
  const measures = choice.measures.length === 0 ? [null] : choice.measures;
  for (const measure of measures) {
    const name = seriesName(source, choice, row, measure);
    names.add(name);
    let cell = group.cells.get(name);
    if (!cell) {
      cell = new GroupValue();
      group.cells.set(name, cell);
    }
    cell.add(measure === null ? '1' : source.cell(row, measure));
  }
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

function orderGroups(source: RowSource, choice: ChartChoice, groups: Group[]): Group[] {
  if (choice.x === null) return groups;
  const column = source.rowType[choice.x];
  if (!column) return groups;
  const role = columnRole(column);
  if (role === 'category' || role === 'key' || role === 'other') {
    if (choice.type === 'line' || choice.type === 'area') return groups;
    const size = new Map(groups.map((group) => [group, totalOf(group, choice.aggregation)]));
    return groups.sort((left, right) => (size.get(right) ?? 0) - (size.get(left) ?? 0));
  }
  return groups.sort((left, right) =>
    left.wire === null ? 1 : right.wire === null ? -1 : compareWire(left.wire, right.wire, column),
  );
}

function totalOf(group: Group, aggregation: Aggregation): number {
  let total = 0;
  for (const cell of group.cells.values()) {
    const value = Number(cell.result(aggregation) ?? 0);
    if (Number.isFinite(value)) total += value;
  }
  return total;
}

function mergeGroups(groups: readonly Group[]): Group {
  const cells = new Map<string, GroupValue>();
  for (const group of groups) {
    for (const [name, value] of group.cells) {
      const merged = cells.get(name) ?? new GroupValue();
      merged.merge(value);
      cells.set(name, merged);
    }
  }
  return { label: OTHERS, wire: null, cells };
}

export function isTimeColumn(source: RowSource, column: number): boolean {
  const type = source.rowType[column];
  return type !== undefined && columnRole(type) === 'time';
}

/** Null as soon as one label is no instant: years as numbers, NULL, times of day. */
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
  for (let row = 0; row < rowsMax; row++) {
    if (source.cell(row, probe) === undefined) continue;
    rowsRead++;
    for (const measure of choice.measures) {
      const x = numberAt(source, row, choice.x);
      const y = numberAt(source, row, measure);
      if (x === null || y === null) continue;
      const name = seriesName(source, choice, row, measure);
      const points = series.get(name);
      if (points) points.push([x, y]);
      else series.set(name, [[x, y]]);
    }
  }
  const points = [...series].map(([name, pairs]) => ({ name, points: pairs }));
  const shownSeries = points.slice(0, SERIES_MAX);
  return {
    categories: [],
    instants: null,
    series: [],
    points: shownSeries,
    rowsRead,
    othersCount: 0,
    leftOut: points.length - shownSeries.length,
  };
}

function numberAt(source: RowSource, row: number, column: number | null): number | null {
  if (column === null) return row + 1;
  const cell = source.cell(row, column);
  if (cell == null) return null;
  const value = Number(cell.split(' ')[0]);
  return Number.isFinite(value) ? value : null;
}
