// Which places and series a chart shows: where there are too many, the greatest, and the others together.
import type { RowSource } from '../grid/types';
import { compareWire } from '../grid/wireOrder';
import { type ColumnRole, isAverageLike, roleIn } from './columnRoles';
import { GroupValue } from './groupValue';
import type { Aggregation, ChartChoice } from './types';

const BARS_MAX = 30;
const SLICES_MAX = 12;
/** Of times and numbers, which have an order of their own. */
const ORDERED_BARS_MAX = 400;
const LINE_POINTS_MAX = 5_000;
export const SERIES_MAX = 20;
export const OTHERS = 'others';

/** Columns whose values are names, and in no order. */
const NAMED_ROLES: readonly ColumnRole[] = ['category', 'key', 'other'];

/** The rows of one place in a chart. */
export interface Group {
  label: string;
  wire: string | null;
  /** By the names of the series. */
  cells: Map<string, GroupValue>;
}

interface ShownGroups {
  shown: Group[];
  othersCount: number;
  isBySize: boolean;
}

/** A pie shows parts of a whole, so that what is negative, NULL or no finite number has no slice in it. */
export function drawableGroups(
  { type, aggregation }: ChartChoice,
  groups: Group[],
): { drawable: Group[]; belowZero: number } {
  if (type !== 'pie') return { drawable: groups, belowZero: 0 };
  const value = ({ cells }: Group) => {
    const [cell] = cells.values();
    return Number(cell?.result(aggregation) ?? Number.NaN);
  };
  return {
    drawable: groups.filter((group) => value(group) >= 0),
    belowZero: groups.filter((group) => value(group) < 0).length,
  };
}

/** As many as a chart can show: the greatest with the others together, or the first of what has an order of its own. */
export function shownGroups(source: RowSource, choice: ChartChoice, groups: Group[]): ShownGroups {
  const ordered = orderGroups(source, choice, groups);
  if (!isBySize(source, choice)) {
    const most = choice.type === 'bar' ? ORDERED_BARS_MAX : LINE_POINTS_MAX;
    return { shown: ordered.slice(0, most), othersCount: 0, isBySize: false };
  }
  const most = choice.type === 'pie' ? SLICES_MAX : BARS_MAX;
  if (ordered.length <= most || !addsUp(source, choice)) {
    return { shown: ordered.slice(0, most), othersCount: 0, isBySize: true };
  }
  const kept = ordered.slice(0, most - 1);
  const label = othersAmong(kept.map((group) => group.label));
  const rest = ordered.slice(most - 1);
  return { shown: [...kept, mergeGroups(label, rest)], othersCount: rest.length, isBySize: true };
}

/** Whether places stand in the order of their values, and not in one that is theirs. */
function isBySize(source: RowSource, choice: ChartChoice): boolean {
  if (choice.type === 'pie') return true;
  if (choice.type !== 'bar' || choice.x === null) return false;
  return NAMED_ROLES.includes(roleIn(source, choice.x));
}

/** Whether what is drawn of several places says something of them together. */
export function addsUp(source: RowSource, { type, aggregation, measures }: ChartChoice): boolean {
  if (aggregation === 'sum' || aggregation === 'count') return true;
  // A bar can show the average of all others, but no slice is a share of averages.
  if (aggregation !== 'none') return type !== 'pie';
  return measures.every((measure) => {
    const column = source.rowType[measure];
    return column !== undefined && !isAverageLike(column);
  });
}

/** Of too many series the greatest, with the others together where that says something. */
export function shownSeries(
  source: RowSource,
  choice: ChartChoice,
  groups: readonly Group[],
  names: readonly string[],
): { names: readonly string[]; othersCount: number } {
  if (names.length <= SERIES_MAX) return { names, othersCount: 0 };
  const canFold = choice.measures.length <= 1 && addsUp(source, choice);
  const size = new Map(names.map((name) => [name, 0]));
  for (const { cells } of groups) {
    for (const [name, cell] of cells) {
      const value = Math.abs(Number(cell.result(choice.aggregation) ?? 0));
      if (Number.isFinite(value)) size.set(name, (size.get(name) ?? 0) + value);
    }
  }
  const most = canFold ? SERIES_MAX - 1 : SERIES_MAX;
  const greatest = new Set(
    [...names].sort((one, other) => (size.get(other) ?? 0) - (size.get(one) ?? 0)).slice(0, most),
  );
  const kept = names.filter((name) => greatest.has(name));
  if (!canFold) return { names: kept, othersCount: 0 };
  const others = othersAmong(kept);
  for (const { cells } of groups) {
    for (const [name, cell] of [...cells]) if (!greatest.has(name)) mergeInto(cells, others, cell);
  }
  return { names: [...kept, others], othersCount: names.length - kept.length };
}

/** A name for all others that none of those shown has. */
function othersAmong(names: readonly string[]): string {
  return names.includes(OTHERS) ? `all ${OTHERS}` : OTHERS;
}

/** By value, or by the order that the places have by themselves, or as the rows came. */
function orderGroups(source: RowSource, choice: ChartChoice, groups: Group[]): Group[] {
  if (isBySize(source, choice)) {
    const size = new Map(groups.map((group) => [group, totalOf(group, choice.aggregation)]));
    return groups.sort((left, right) => (size.get(right) ?? 0) - (size.get(left) ?? 0));
  }
  const column = choice.x === null ? undefined : source.rowType[choice.x];
  if (choice.x === null || !column || NAMED_ROLES.includes(roleIn(source, choice.x))) return groups;
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

function mergeGroups(label: string, groups: readonly Group[]): Group {
  const cells = new Map<string, GroupValue>();
  for (const group of groups) {
    for (const [name, value] of group.cells) mergeInto(cells, name, value);
  }
  return { label, wire: null, cells };
}

function mergeInto(cells: Map<string, GroupValue>, name: string, value: GroupValue): void {
  const merged = cells.get(name) ?? new GroupValue();
  merged.merge(value);
  cells.set(name, merged);
}
