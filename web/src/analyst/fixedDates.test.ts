import { expect, it } from 'vitest';
import { fixedDates } from './fixedDates';

const within = (from: string, end: string) => `WHERE (o.day >= '${from}' AND o.day < '${end}')`;

it('tells times that move from dates that do not', () => {
  const check = (question: string, sql: string, words: string, dated: string | null) =>
    expect(fixedDates(question, sql)).toMatchObject({ words, datedQuestion: dated });
  const year = within('2025-01-01', '2026-01-01');
  check('revenue by region last year', year, 'last year', 'revenue by region in 2025');
  check('Revenue in the last year', year, 'in the last year', 'Revenue in 2025');
  const month = within('2026-10-01', '2026-11-01');
  check(
    'orders of the last month',
    month,
    'of the last month',
    'orders from 2026-10-01 to 2026-10-31',
  );
  check(
    'orders yesterday',
    within('2026-11-18', '2026-11-19'),
    'yesterday',
    'orders on 2026-11-18',
  );
  check('orders 3 days ago', "WHERE d = '2026-11-16'", '3 days ago', null);
});

it('says nothing of questions and SQL without them', () => {
  expect(fixedDates('revenue in 2025', within('2025-01-01', '2026-01-01'))).toBeNull();
  expect(
    fixedDates('revenue last year', "WHERE d >= DATEADD('year', -1, CURRENT_DATE())"),
  ).toBeNull();
});
