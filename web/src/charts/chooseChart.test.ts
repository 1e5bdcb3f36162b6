import { describe, expect, it } from 'vitest';
import { arrayRowSource } from '../grid/arrayRowSource';
import { seriesColours } from './chartColours';
import { chartData } from './chartData';
import { chartQuery } from './chartQuery';
import { chooseChart } from './chooseChart';
import { compactNumber } from './numberText';
import { OTHERS } from './shownParts';
import { timeLabels } from './timeLabels';
import type { ChartChoice } from './types';

type Rows = (string | null)[][];

/** "REGION text, AMOUNT fixed 2" and rows. */
function result(columns: string, rows: Rows) {
  const rowType = columns.split(', ').map((column) => {
    const [name = '', type = 'text', scale] = column.split(' ');
    return { name, type, nullable: true, scale: scale ? Number(scale) : 0 };
  });
  return arrayRowSource(rowType, rows);
}

const many = (rows: number, row: (index: number) => (string | null)[]): Rows =>
  Array.from({ length: rows }, (_, index) => row(index));

describe('the first choice of a chart', () => {
  it.each<[string, string, Rows, Partial<ChartChoice> | null]>([
    ['no rows', 'N fixed', [], null],
    ['one number', 'N fixed', [['1']], { type: 'number', measures: [0] }],
    ['one row of numbers', 'A fixed, B real', [['1', '2']], { type: 'number', measures: [0, 1] }],
    ['one text', 'NAME text', [['x']], { type: 'number', measures: [0] }],
    [
      'time and number',
      'DAY date, AMOUNT fixed 2',
      many(9, (i) => [String(i), '1']),
      { type: 'line', x: 0, measures: [1], aggregation: 'none', series: null },
    ],
    [
      'time twice the same',
      'DAY date, AMOUNT fixed 2',
      many(9, (i) => [String(i % 3), '1']),
      { type: 'line', x: 0, aggregation: 'sum' },
    ],
    [
      'time, few texts and number',
      'DAY timestamp_ntz, REGION text, AMOUNT fixed',
      many(20, (i) => [String(i >> 1), i % 2 ? 'a' : 'b', '1']),
      { type: 'line', x: 0, series: 1, measures: [2], aggregation: 'none' },
    ],
    [
      'only measures of like size share an axis',
      'DAY date, PLAN fixed, DONE fixed, SHARE real',
      many(9, (i) => [String(i), '900', '700', '0.7']),
      { type: 'line', measures: [1, 2] },
    ],
    [
      'years under any name',
      'Y fixed, N fixed',
      many(5, (i) => [String(2022 + i), '7000']),
      { type: 'line', x: 0, measures: [1] },
    ],
    [
      'numbers that are no years',
      'Y fixed, N fixed',
      many(5, (i) => [String(3022 + i), '7000']),
      { type: 'scatter', x: 0, measures: [1] },
    ],
    [
      'a year as a number',
      'YEAR fixed, AMOUNT fixed',
      many(5, (i) => [String(2020 + i), '7']),
      { type: 'line', x: 0, measures: [1] },
    ],
    [
      'text and number',
      'REGION text, AMOUNT fixed',
      many(5, (i) => [`r${i}`, '1']),
      { type: 'bar', x: 0, measures: [1], horizontal: false },
    ],
    [
      'many texts and number',
      'CITY text, AMOUNT fixed',
      many(25, (i) => [`c${i}`, '1']),
      { type: 'bar', x: 0, horizontal: true },
    ],
    [
      'two texts and number',
      'KIND text, CITY text, AMOUNT fixed',
      many(30, (i) => [i % 2 ? 'a' : 'b', `c${i >> 1}`, '1']),
      { type: 'bar', x: 1, series: 0, stacked: true },
    ],
    [
      'averages are not added up',
      'REGION text, AVG_PRICE real',
      many(8, (i) => [`r${i % 2}`, '1']),
      { type: 'bar', aggregation: 'avg' },
    ],
    [
      'keys are not summed',
      'CUSTOMER_ID fixed, AMOUNT fixed',
      many(9, (i) => [String(i), '1']),
      { type: 'bar', x: 0, measures: [1] },
    ],
    [
      'many keys, each with a number',
      'ID fixed, V real',
      many(99, (i) => [String(i), '1']),
      { type: 'scatter', x: 0, series: null, measures: [1] },
    ],
    [
      'keys that come again',
      'CUSTOMER_ID fixed, AMOUNT fixed',
      many(99, (i) => [String(i >> 1), '1']),
      { type: 'bar', x: 0, aggregation: 'sum' },
    ],
    [
      'two numbers',
      'A real, B real',
      many(9, () => ['1', '2']),
      { type: 'scatter', x: 0, measures: [1] },
    ],
    ['numbers alone', 'A real', many(9, () => ['1']), { type: 'bar', x: null, measures: [0] }],
    ['more numbers alone', 'A real', many(99, () => ['1']), { type: 'line', x: null }],
    [
      'texts alone',
      'A text',
      many(9, (i) => [`r${i % 2}`]),
      { type: 'bar', x: 0, aggregation: 'count' },
    ],
    ['only JSON', 'A variant', many(9, () => ['{}']), null],
  ])('%s', (_name, columns, rows, expected) => {
    const choice = chooseChart(result(columns, rows));
    if (expected === null) expect(choice).toBeNull();
    else expect(choice).toMatchObject(expected);
  });
});

describe('the figures of a chart', () => {
  const bars: ChartChoice = {
    type: 'bar',
    x: 0,
    series: null,
    measures: [1],
    aggregation: 'sum',
    stacked: false,
    horizontal: false,
  };

  it('sorts bars by value and puts the small ones together', () => {
    const data = chartData(
      result(
        'R text, A fixed',
        many(40, (i) => [`r${i}`, String(i)]),
      ),
      bars,
    );
    expect(data.categories).toHaveLength(30);
    expect(data.categories[0]).toBe('r39');
    expect(data.categories.at(-1)).toBe(OTHERS);
    expect(data.series[0]?.values.at(-1)).toBe('55');
    expect(data.othersCount).toBe(11);
  });

  it.each<[ChartChoice['aggregation'], string]>([
    ['sum', '0.3'],
    ['avg', '0.15'],
    ['min', '0.1'],
    ['max', '0.2'],
    ['count', '3'],
  ])('%s is exact and skips NULL', (aggregation, expected) => {
    const rows = [
      ['a', '0.1'],
      ['a', '0.2'],
      ['a', null],
    ];
    const data = chartData(result('R text, A fixed 1', rows), { ...bars, aggregation });
    expect(data.series[0]?.values).toEqual([expected]);
  });

  it.each(['line', 'area'] as const)('%s: by time, without what has none', (type) => {
    const rows = [
      ['20', '1'],
      [null, '3'],
      ['3', '2'],
    ];
    const data = chartData(result('D date, A fixed', rows), { ...bars, type });
    expect(data.categories).toEqual(['1970-01-04', '1970-01-21']);
    expect(data.instants).toEqual([3 * 86_400_000, 20 * 86_400_000]);
    expect(data.series[0]?.values).toEqual(['2', '1']);
    expect(data.rowsWithoutPlace).toBe(1);
    expect(chartData(result('D date, A fixed', rows), bars).categories).toContain('NULL');
    expect(chartData(result('D text, A fixed', rows), { ...bars, type }).rowsWithoutPlace).toBe(0);
  });

  it('makes a series of every value, with gaps', () => {
    const rows = [
      ['a', '1', 'x'],
      ['b', '2', 'y'],
    ];
    const data = chartData(result('R text, A fixed, S text', rows), { ...bars, series: 2 });
    expect(data.series).toEqual([
      { name: 'x', values: [null, '1'] },
      { name: 'y', values: ['2', null] },
    ]);
  });

  it('has pairs for dots', () => {
    const rows = [
      ['1', '2.5'],
      [null, '3'],
      ['2', 'inf'],
    ];
    const data = chartData(result('X real, Y real', rows), { ...bars, type: 'scatter' });
    expect(data.points).toEqual([{ name: 'Y', points: [[1, 2.5]] }]);
  });

  it('is the same over all rows, in SQL', () => {
    const { rowType } = result('R text, A fixed', []);
    expect(chartQuery('SELECT 1;', rowType, { ...bars, aggregation: 'avg' })).toBe(
      'SELECT "R", AVG("A") AS "A"\nFROM (\nSELECT 1\n) AS result\nGROUP BY 1\nORDER BY 1',
    );
  });
});

describe('marks of an axis of time', () => {
  it.each([
    [1000, '2026-10-09', '2026-10'],
    [30, '2026-10-09', '2026-10-09'],
    [1, '2026-10-09', '10-09 00:00'],
    [0.1, '2026-10-09', '00:00:00'],
  ])('over %d days', (days, date, expected) => {
    const begin = Date.parse(date);
    expect(timeLabels([begin, begin + days * 86_400_000])(begin)).toBe(expected);
  });
});

describe('colours', () => {
  it('belong to names, not to places', () => {
    const first = seriesColours(['north', 'south']);
    expect(seriesColours(['south', 'north'])).toEqual(first);
    expect(seriesColours(['north']).get('north')).toBe(first.get('north'));
    expect(new Set(seriesColours(['a', 'b', 'c', 'd', 'e', 'f']).values()).size).toBe(6);
  });

  it('stand out from both backgrounds', () => {
    for (const colour of seriesColours(many(10, (i) => [String(i)]).map(String)).values()) {
      for (const background of ['#ffffff', '#111418']) {
        expect(contrast(colour, background)).toBeGreaterThanOrEqual(3);
      }
    }
  });

  function contrast(left: string, right: string): number {
    const [high = 0, low = 0] = [luminance(left), luminance(right)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }

  function luminance(hex: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
});

describe('numbers of an axis', () => {
  it.each([
    [2024, '2024'],
    [0, '0'],
    [12_345, '12.35K'],
    [0.25, '0.25'],
  ])('%s', (value, text) => expect(compactNumber(value)).toBe(text));
});
