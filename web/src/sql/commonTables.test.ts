import { expect, it } from 'vitest';
import { commonTables } from './commonTables';

it('finds common tables and their columns', () => {
  const check = (sql: string, ...expected: [string, string[]][]) =>
    expect(commonTables(sql)).toEqual(expected.map(([name, columns]) => ({ name, columns })));
  check('with a as (select 1), b as (select 2) select * from b', ['A', []], ['B', []]);
  check('with big as (select 1 x1, 3 as yy) select b. from big b', ['BIG', ['X1', 'YY']]);
  check(
    'with recursive "t t" (n, "m") as (select 1, 2 union all select n, m from "t t") select 1',
    ['t t', ['N', 'm']],
  );
  check(
    'with a as (select o.id, count(distinct x) as n, f(a, b), case when 1 then 2 end from o) select 1',
    ['A', ['ID', 'N']],
  );
  check('select a, b from c');
});
