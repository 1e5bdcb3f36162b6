import { expect, it } from 'vitest';
import { tableReferences } from './references';

const shown = (sql: string) =>
  tableReferences(sql).map(({ parts, alias }) => `${parts.join('.')} ${alias}`);

it('reads lists, joins and aliases', () => {
  const sql =
    'select * from orders o, demo.public."Items" as i join customers on o.a = i.b where x';
  expect(shown(sql)).toEqual(['ORDERS O', 'DEMO.PUBLIC.Items I', 'CUSTOMERS CUSTOMERS']);
});

it('reads what is changed', () => {
  expect(shown('insert into t select 1')).toEqual(['T T']);
  expect(shown('update t set a = 1')).toEqual(['T T']);
  expect(shown('merge into t using s as q on t.a = q.a')).toEqual(['T T', 'S Q']);
});

it('takes no name for a table whose last part is still to be typed', () => {
  expect(shown('select * from demo.')).toEqual([]);
  expect(shown('select * from a, demo.public.')).toEqual(['A A']);
  expect(shown('select o. from orders o')).toEqual(['ORDERS O']);
});

it('goes into subqueries', () => {
  expect(shown('select * from (select * from a) x join b y')).toEqual(['A A', 'B Y']);
});
