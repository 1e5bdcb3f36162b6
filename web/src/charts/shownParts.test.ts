import { describe, expect, it } from 'vitest';
import { arrayRowSource } from '../grid/arrayRowSource';
import { chartData } from './chartData';
import { chartOption } from './chartOption';
import { chartNotes } from './describeChart';
import type { ChartChoice } from './types';

const choice: ChartChoice = {
  type: 'bar',
  x: 0,
  series: null,
  measures: [1],
  aggregation: 'none',
  stacked: false,
  horizontal: false,
};

/** So many rows of a text (or another type), a number, and a text that tells series apart. */
function source(rows: number, name = 'AMOUNT', type = 'text', value = (row: number) => row + 1) {
  const column = (of: string, kind: string) => ({ name: of, type: kind, nullable: true, scale: 0 });
  const rowType = [column('PLACE', type), column(name, 'fixed'), column('KIND', 'text')];
  const cells = Array.from({ length: rows }, (_, row) => [
    type === 'text' ? `p${row}` : String(row),
    String(value(row)),
    `k${row % 30}`,
  ]);
  return arrayRowSource(rowType, cells);
}

function drawn(of: ReturnType<typeof source>, changes: Partial<ChartChoice> = {}) {
  const chosen = { ...choice, ...changes };
  const data = chartData(of, chosen);
  return { data, notes: chartNotes(chosen, data, of, of.rowCount).join(' ') };
}

const total = (values: readonly (string | null)[] | undefined) =>
  (values ?? []).reduce((sum, value) => sum + Number(value ?? 0), 0);

describe('where there are too many places', () => {
  it.each(['bar', 'pie'] as const)('%s: sums keep their total', (type) => {
    const { data, notes } = drawn(source(100), { type });
    expect(data.categories.at(-1)).toBe('others');
    expect(total(data.series[0]?.values)).toBe(5050);
    expect(notes).toContain(`${100 - data.categories.length + 1} stand together as others`);
  });

  it('averages are not added up, and those not drawn are counted', () => {
    const { data, notes } = drawn(source(100, 'AVG(AMOUNT)'));
    expect(data.categories).toHaveLength(30);
    expect(data.categories).not.toContain('others');
    expect(data.categories[0]).toBe('p99');
    expect(notes).toContain('Only the 30 greatest are drawn; 70 more');
    expect(notes).toContain('do not add up');
  });

  it('the average of all others is that of their rows, and no slice', () => {
    const average = drawn(source(100), { aggregation: 'avg' });
    expect(average.data.series[0]?.values.at(-1)).toBe('36');
    const slices = drawn(source(100), { aggregation: 'avg', type: 'pie' });
    expect(slices.data.categories).not.toContain('others');
    expect(slices.notes).toContain('88 more are in the table alone');
  });

  it('times and numbers keep their order, and the first are drawn', () => {
    const { data, notes } = drawn(source(1000, 'AMOUNT', 'date'));
    expect(data.categories[0]).toBe('1970-01-01');
    expect(data.categories).toHaveLength(400);
    expect(notes).toContain('Only the first 400 are drawn; 600 more');
    expect(drawn(source(100, 'AMOUNT', 'real')).notes).toBe('');
  });

  it('slices of times are the greatest, too', () => {
    const { data } = drawn(source(100, 'AMOUNT', 'date'), { type: 'pie' });
    expect(data.categories).toHaveLength(12);
    expect(total(data.series[0]?.values)).toBe(5050);
  });

  it('a place that is called others is not taken for them', () => {
    const of = source(100);
    const named = {
      ...of,
      cell: (row: number, at: number) => (row === 99 && at === 0 ? 'others' : of.cell(row, at)),
    };
    expect(drawn(named).data.categories).toEqual(expect.arrayContaining(['others', 'all others']));
  });
});

describe('where there are too many series', () => {
  it('the others are together in each place', () => {
    const { data, notes } = drawn(source(60), { x: null, series: 2, aggregation: 'sum' });
    expect(data.series).toHaveLength(20);
    expect(data.series.at(-1)?.name).toBe('others');
    expect(data.series.reduce((sum, { values }) => sum + total(values), 0)).toBe(1830);
    expect(notes).toContain('The 19 greatest series are shown; 11 stand together as others');
  });

  it('those that do not add up are counted', () => {
    const of = source(60, 'AVG_PRICE');
    expect(drawn(of, { series: 2, type: 'line' }).notes).toContain('10 more series do not fit');
    const dots = drawn(source(60), { x: 1, series: 2, type: 'scatter' });
    expect(dots.data.points).toHaveLength(20);
    expect(dots.notes).toContain('10 more series do not fit');
  });
});

describe('what a kind of chart cannot show is left out and counted', () => {
  it.each([5, 50])('negative values of %d rows in a pie', (rows) => {
    const of = source(rows, 'AMOUNT', 'text', (row) => row - 2);
    const { data, notes } = drawn(of, { type: 'pie' });
    expect(notes).toContain('2 negative values are left out: a pie shows parts of a whole.');
    expect(data.categories).not.toContain('p0');
    const positive = ((rows - 3) * (rows - 2)) / 2;
    expect(total(data.series[0]?.values)).toBe(positive);
    expect(drawn(of).notes).not.toContain('negative');
  });

  it.each(['bar', 'line', 'pie', 'area'] as const)('NaN and infinity: %s', (type) => {
    const values = ['NaN', 'inf', '-inf', '4', '5'] as unknown as number[];
    const of = source(5, 'AMOUNT', 'text', (row) => values[row] ?? 0);
    for (const aggregation of ['none', 'sum'] as const) {
      const { data, notes } = drawn(of, { type, aggregation });
      expect(notes).toBe('3 values that are no finite numbers are left out.');
      const theme = { text: '', muted: '', line: '', background: '', font: '' };
      const names = { x: 'PLACE', y: 'AMOUNT' };
      const option = chartOption({ ...choice, type, aggregation }, data, names, theme, 900);
      const marked = (_: string, value: unknown) =>
        typeof value === 'number' && !Number.isFinite(value) ? 'not finite' : value;
      expect(JSON.stringify(option.series, marked)).not.toContain('not finite');
    }
    expect(drawn(of, { type, aggregation: 'count' }).notes).toBe('');
  });

  it('rows without a date on a line, and those without numbers as dots', () => {
    const of = source(5, 'AMOUNT', 'date');
    const cell = (row: number, at: number) => (row === 1 && at === 0 ? null : of.cell(row, at));
    const { notes } = drawn({ ...of, cell }, { type: 'line' });
    expect(notes).toBe('1 row whose PLACE is NULL is left out.');
    const dots = drawn(source(5), { x: 0, type: 'scatter' });
    expect(dots.notes).toBe('5 rows without both numbers are not drawn.');
  });
});
