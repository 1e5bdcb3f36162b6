import { describe, expect, it } from 'vitest';
import { parseJson } from './jsonText';
import * as geometry from './scrollGeometry';
import { moveSelection, selectedRange, startSelection } from './selection';

describe('scrolling', () => {
  const long = { rowHeight: 26, rowCount: 5_000_000, viewHeight: 520 };

  it('keeps the bar short and reaches the last row', () => {
    expect(geometry.scrollHeight(long)).toBe(15_000_000);
    const barEnd = geometry.scrollHeight(long) - long.viewHeight;
    const top = barEnd * geometry.scrollFactor(long);
    expect(geometry.visibleRows(top, long)).toEqual({ first: 4_999_980, last: 4_999_999 });
  });

  it('is one to one for short results', () => {
    const short = { rowHeight: 26, rowCount: 100, viewHeight: 520 };
    expect(geometry.scrollFactor(short)).toBe(1);
    expect(geometry.visibleRows(0, { ...short, rowCount: 3 })).toEqual({ first: 0, last: 2 });
    expect(geometry.visibleRows(0, { ...short, rowCount: 0 }).last).toBe(-1);
  });

  it.each([
    [0, 1000, 0],
    [100, 2600, 2600],
    [45, 1000, 1000],
    [60, 1000, 1066],
  ])('row %i seen from %i needs %i', (row, top, expected) => {
    expect(geometry.topToShow(row, top, long)).toBe(expected);
  });

  it('finds columns', () => {
    const offsets = geometry.columnOffsets([50, 100, 60]);
    expect([0, 49, 50, 149, 150, 999].map((x) => geometry.columnAt(x, offsets))).toEqual([
      0, 0, 1, 1, 2, 2,
    ]);
    expect(geometry.leftToShow(2, 0, 180, offsets)).toBe(30);
    expect(geometry.leftToShow(0, 30, 180, offsets)).toBe(0);
  });
});

describe('selection by keys', () => {
  const size = { rows: 1000, columns: 10, rowsPerPage: 20 };
  const plain = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

  it.each([
    ['ArrowDown', {}, 6, 3],
    ['ArrowUp', { ctrlKey: true }, 0, 3],
    ['PageDown', {}, 25, 3],
    ['End', {}, 5, 9],
    ['End', { ctrlKey: true }, 999, 9],
    ['Home', { metaKey: true }, 0, 0],
  ])('%s %j goes to %i, %i', (key, modifiers, row, column) => {
    const moved = moveSelection(
      startSelection({ row: 5, column: 3 }),
      { ...plain, ...modifiers, key },
      size,
    );
    expect(moved?.active).toEqual({ row, column });
    expect(moved?.anchor).toEqual({ row, column });
  });

  it('extends with shift, ends at the edges and enters the header', () => {
    const start = startSelection({ row: 0, column: 9 });
    const wider = moveSelection(start, { ...plain, shiftKey: true, key: 'PageDown' }, size);
    expect(wider && selectedRange(wider)).toEqual({
      firstRow: 0,
      lastRow: 20,
      firstColumn: 9,
      lastColumn: 9,
    });
    expect(moveSelection(start, { ...plain, key: 'ArrowRight' }, size)?.active.column).toBe(9);
    expect(moveSelection(start, { ...plain, key: 'ArrowUp' }, size)?.active.row).toBe(-1);
    expect(moveSelection(start, { ...plain, key: 'x' }, size)).toBeNull();
    const all = moveSelection(start, { ...plain, ctrlKey: true, key: 'a' }, size);
    expect(all && selectedRange(all)).toMatchObject({ firstRow: 0, lastRow: 999, lastColumn: 9 });
  });
});

describe('JSON of the wire', () => {
  it.each([
    ['{"a": [1, undefined, "x"], "a": 12345678901234567890}', 'object'],
    ['[]', 'array'],
    ['"x"', 'string'],
    ['-1.5e3', 'word'],
  ])('%s is an %s', (text, kind) => {
    expect(parseJson(text)?.kind).toBe(kind);
  });

  it('keeps numbers as written', () => {
    expect(parseJson('12345678901234567890')).toEqual({
      kind: 'word',
      text: '12345678901234567890',
    });
  });

  it.each(['{', '{"a"}', '[1,]x', 'x', '', '['.repeat(5000), '"\\u00"', '[1 2]'])(
    '%s is none',
    (text) => {
      expect(parseJson(text)).toBeNull();
    },
  );
});
