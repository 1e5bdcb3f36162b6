import { describe, expect, it } from 'vitest';
import { arrayRowSource } from './arrayRowSource';
import { buildRowView } from './rowView';
import { StatisticsRun } from './statistics';
import type { ColumnFilter, ColumnType, RowSource } from './types';
import { wrapQuery } from './wrapQuery';

function column(name: string, type: string): ColumnType {
  return { name, type, nullable: true };
}

function source(type: string, cells: (string | null)[]): RowSource {
  return arrayRowSource(
    [column('C', type)],
    cells.map((cell) => [cell]),
  );
}

describe('sorting loaded rows', () => {
  it.each([
    ['fixed', ['10', '9', null, '-1'], ['-1', '9', '10', null]],
    [
      'fixed',
      ['10000000000000000001', '10000000000000000000'],
      ['10000000000000000000', '10000000000000000001'],
    ],
    ['real', ['NaN', '1e3', 'inf', '-inf', '2'], ['-inf', '2', '1e3', 'inf', 'NaN']],
    ['text', ['b', 'B', 'a', ''], ['', 'B', 'a', 'b']],
    ['date', ['20735', '-5', '3'], ['-5', '3', '20735']],
    ['timestamp_tz', ['20.5 1440', '3.0 1860'], ['3.0 1860', '20.5 1440']],
  ])('%s %j', (type, cells, expected) => {
    const view = buildRowView(source(type, cells), [{ column: 0, descending: false }], []);
    expect([...view.rows].map((row) => cells[row])).toEqual(expected);
    const down = buildRowView(source(type, cells), [{ column: 0, descending: true }], []);
    expect([...down.rows].map((row) => cells[row])).toEqual([...expected].reverse());
  });

  it('leaves out rows that are not loaded and says how many it knew', () => {
    const whole = source('fixed', ['3', '2', '1', '0']);
    const half: RowSource = {
      ...whole,
      cell: (row, at) => (row < 2 ? whole.cell(row, at) : undefined),
    };
    const view = buildRowView(half, [{ column: 0, descending: false }], []);
    expect([[...view.rows], view.loaded]).toEqual([[1, 0], 2]);
  });
});

describe('filtering loaded rows', () => {
  it.each<[string, (string | null)[], ColumnFilter['operator'], string, number[]]>([
    ['text', ['Apple', 'pear', null], 'contains', 'P', [0, 1]],
    ['text', ['Apple', '', null], 'not-null', '', [0, 1]],
    ['text', ['Apple', '', null], 'null', '', [2]],
    ['text', ['Apple', 'Pear'], 'starts-with', 'P', [1]],
    ['fixed', ['9', '10', '10.00'], 'equals', '10.0', [1, 2]],
    ['fixed', ['9', '10', '11'], 'less', '10', [0]],
    ['fixed', ['9', '10'], 'greater', 'many', []],
    ['date', ['20735', '20736'], 'equals', '2026-10-09', [0]],
    ['date', ['20735', '20736'], 'contains', '10-10', [1]],
    ['timestamp_ntz', ['1791549296.5', '1791549296.0'], 'greater', '2026-10-09 12:34:56', [0]],
    ['boolean', ['true', 'false'], 'equals', 'TRUE', [0]],
  ])('%s %j %s %s', (type, cells, operator, text, expected) => {
    const view = buildRowView(source(type, cells), [], [{ column: 0, operator, text }]);
    expect([...view.rows]).toEqual(expected);
  });
});

describe('the same for all rows, in SQL', () => {
  it('quotes names and texts and ends a comment', () => {
    const sql = wrapQuery(
      'SELECT 1 AS "a""b" -- one;\n;',
      [column('a"b', 'text'), column('D', 'date')],
      [{ column: 1, descending: true }],
      [
        { column: 0, operator: 'contains', text: "O'Hara\\" },
        { column: 1, operator: 'less', text: '2026-10-09' },
      ],
    );
    expect(sql).toBe(
      `SELECT * FROM (\nSELECT 1 AS "a""b" -- one\n) AS result\nWHERE CONTAINS(LOWER("a""b"), LOWER('O''Hara\\\\'))\n  AND "D" < '2026-10-09'::DATE\nORDER BY "D" DESC`,
    );
  });

  it('renames columns of the same name', () => {
    const sql = wrapQuery(
      'SELECT 1, 1',
      [column('1', 'fixed'), column('1', 'fixed')],
      [],
      [{ column: 1, operator: 'equals', text: '1' }],
    );
    expect(sql).toBe(`SELECT * FROM (\nSELECT 1, 1\n) AS result ("C1", "C2")\nWHERE "C2" = 1`);
  });
});

describe('statistics of a selection', () => {
  function statistics(type: string, cells: (string | null)[]) {
    const range = { firstRow: 0, lastRow: cells.length - 1, firstColumn: 0, lastColumn: 0 };
    const run = new StatisticsRun(source(type, cells), range, (row) => row);
    while (!run.done) run.step(2);
    return run.result();
  }

  it.each([
    ['fixed', ['0.1', '0.2'], '0.3', '0.15', '0.1', '0.2'],
    [
      'fixed',
      ['99999999999999999999999999999999999999', '1'],
      '100000000000000000000000000000000000000',
      '50000000000000000000000000000000000000',
      '1',
      '99999999999999999999999999999999999999',
    ],
    ['fixed', ['-1.5', null, '2'], '0.5', '0.25', '-1.5', '2'],
    ['fixed', ['1', '1', '0'], '2', '0.666667', '0', '1'],
    [
      'fixed',
      ['4000000000000000', '4000000000000000', '1'],
      '8000000000000001',
      '2666666666666667',
      '1',
      '4000000000000000',
    ],
    ['real', ['1.5e3', '-2.5E-3'], '1499.9975', '749.99875', '-2.5E-3', '1.5e3'],
    ['real', ['1', 'NaN'], 'NaN', 'NaN', '1', 'NaN'],
    ['date', ['20735', '0'], null, null, '1970-01-01', '2026-10-09'],
    ['text', ['a'], null, null, null, null],
  ])('%s %j', (type, cells, sum, average, minimum, maximum) => {
    expect(statistics(type, cells)).toMatchObject({ sum, average, minimum, maximum });
  });

  it('counts NULL apart', () => {
    expect(statistics('text', ['a', null, ''])).toMatchObject({ cells: 3, counted: 3, nonNull: 2 });
  });
});
