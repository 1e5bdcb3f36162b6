import { cellText, typeFamily } from './cellText';
import { parseDecimal } from './decimal';
import { wireOfTyped } from './temporalText';
import type { ColumnFilter, ColumnSort, ColumnType, RowSource } from './types';
import { compareWire } from './wireOrder';

export interface RowView {
  /** Rows of the source in the order in which they are shown. */
  rows: Int32Array;
  /** Rows that were loaded when the view was made: sort and filter know no others. */
  loaded: number;
}

/** Sorts and filters what is in memory. Equal rows keep their order. */
export function buildRowView(
  source: RowSource,
  sort: readonly ColumnSort[],
  filters: readonly ColumnFilter[],
): RowView {
  const tests = filters.map((filter) => ({
    column: filter.column,
    passes: filterTest(filter, source),
  }));
  const rows: number[] = [];
  let loaded = 0;
  for (let row = 0; row < source.rowCount; row++) {
    if (source.cell(row, 0) === undefined) continue;
    loaded++;
    if (tests.every(({ column, passes }) => passes(source.cell(row, column) ?? null))) {
      rows.push(row);
    }
  }
  if (sort.length > 0) rows.sort(rowOrder(source, sort));
  return { rows: Int32Array.from(rows), loaded };
}

/** NULL counts as greater than any value, as in the dialect. */
function rowOrder(source: RowSource, sort: readonly ColumnSort[]) {
  const keys = sort.map(({ column, descending }) => ({
    column,
    direction: descending ? -1 : 1,
    type: source.rowType[column] ?? { type: 'text' },
  }));
  return (left: number, right: number): number => {
    for (const { column, direction, type } of keys) {
      const leftCell = source.cell(left, column) ?? null;
      const rightCell = source.cell(right, column) ?? null;
      if (leftCell === rightCell) continue;
      if (leftCell === null) return direction;
      if (rightCell === null) return -direction;
      const order = compareWire(leftCell, rightCell, type);
      if (order !== 0) return order * direction;
    }
    return left - right;
  };
}

type CellTest = (cell: string | null) => boolean;

function filterTest(filter: ColumnFilter, source: RowSource): CellTest {
  const column = source.rowType[filter.column];
  if (!column) return () => true;
  const shown = (cell: string) => cellText(cell, column, source.timeZone);
  switch (filter.operator) {
    case 'null':
      return (cell) => cell === null;
    case 'not-null':
      return (cell) => cell !== null;
    case 'contains': {
      const needle = filter.text.toLowerCase();
      return (cell) => cell !== null && shown(cell).toLowerCase().includes(needle);
    }
    case 'starts-with':
      return (cell) => cell !== null && shown(cell).startsWith(filter.text);
    case 'equals':
      return compareTest(filter.text, column, source, (order) => order === 0);
    case 'not-equals':
      return compareTest(filter.text, column, source, (order) => order !== 0);
    case 'less':
      return compareTest(filter.text, column, source, (order) => order < 0);
    case 'greater':
      return compareTest(filter.text, column, source, (order) => order > 0);
  }
}

function compareTest(
  typed: string,
  column: ColumnType,
  source: RowSource,
  accepts: (order: number) => boolean,
): CellTest {
  const wire = comparableText(typed, column, source.timeZone ?? 'UTC');
  if (wire === null) return () => false;
  return (cell) => {
    if (cell === null) return false;
    const left = typeFamily(column) === 'json' ? cellText(cell, column) : cell;
    return accepts(compareWire(left, wire, column));
  };
}

/** Null if the typed text is no value of the column's type: then nothing passes. */
export function comparableText(typed: string, column: ColumnType, timeZone = 'UTC'): string | null {
  const text = typed.trim();
  switch (typeFamily(column)) {
    case 'number':
      return parseDecimal(text) || /^(?:nan|-?inf)$/i.test(text) ? text : null;
    case 'temporal':
      return wireOfTyped(text, column.type.toLowerCase(), timeZone);
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : null;
    case 'binary':
      return text.toUpperCase();
    default:
      return typed;
  }
}
