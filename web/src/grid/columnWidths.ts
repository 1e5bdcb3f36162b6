import { shownCellText, typeSign } from './cellText';
import type { ColumnType, RowSource } from './types';

export const COLUMN_WIDTH_MIN = 48;
const FIRST_WIDTH_MAX = 400;
const FITTED_WIDTH_MAX = 1600;
const SAMPLE_ROWS = 100;
const CELL_PADDING = 18;
const HEADER_PADDING = 46;

export type MeasureText = (text: string) => number;

/** Measures in the font of the grid, without touching the page's layout. */
export function textMeasurer(element: Element): MeasureText {
  const context = document.createElement('canvas').getContext('2d');
  const style = getComputedStyle(element);
  if (context) context.font = `${style.fontSize} ${style.fontFamily}`;
  const digit = context?.measureText('0').width ?? 8;
  return (text) =>
    // In a monospace font every plain letter is as wide as a digit.
    context && !/^[ -~]*$/.test(text) ? context.measureText(text).width : text.length * digit;
}

export function firstWidths(source: RowSource, measure: MeasureText): number[] {
  return source.rowType.map((column, index) => {
    const rows = Math.min(SAMPLE_ROWS, source.rowCount);
    const width = widest(source, column, index, 0, rows - 1, measure);
    // Later rows have the larger numbers where they are counted.
    const counted =
      column.type === 'fixed' && source.rowCount > rows
        ? measure(`-${source.rowCount}`) + CELL_PADDING
        : 0;
    return clamp(Math.max(width, counted), FIRST_WIDTH_MAX);
  });
}

/** Wide enough for the header, the first rows and those in sight. */
export function fittedWidth(
  source: RowSource,
  index: number,
  visibleSourceRows: readonly number[],
  measure: MeasureText,
): number {
  const column = source.rowType[index];
  if (!column) return COLUMN_WIDTH_MIN;
  let width = widest(source, column, index, 0, Math.min(1000, source.rowCount) - 1, measure);
  for (const row of visibleSourceRows) {
    width = Math.max(width, widest(source, column, index, row, row, measure));
  }
  return clamp(width, FITTED_WIDTH_MAX);
}

function widest(
  source: RowSource,
  column: ColumnType,
  index: number,
  first: number,
  last: number,
  measure: MeasureText,
): number {
  let width = measure(column.name) + measure(typeSign(column)) + HEADER_PADDING;
  for (let row = first; row <= last; row++) {
    const cell = source.cell(row, index);
    if (cell === undefined) continue;
    const text = cell === null ? 'NULL' : shownCellText(cell, column, source.timeZone);
    width = Math.max(width, measure(text) + CELL_PADDING);
  }
  return width;
}

function clamp(width: number, most: number): number {
  return Math.ceil(Math.min(Math.max(width, COLUMN_WIDTH_MIN), most));
}
