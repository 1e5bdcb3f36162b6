import { expect, test } from 'vitest';
import { datedFileName } from './fileName';

const noon = new Date(2026, 10, 19, 9, 5).getTime();

test.each([
  ['Monthly sums', 'Monthly sums 2026-11-19 0905'],
  ['Umsätze / 売上?', 'Umsätze 売上 2026-11-19 0905'],
  ['..', 'result 2026-11-19 0905'],
  ['a\u202eb', 'a b 2026-11-19 0905'],
  ['x'.repeat(200), `${'x'.repeat(120)} 2026-11-19 0905`],
  ['売'.repeat(200), `${'売'.repeat(40)} 2026-11-19 0905`],
])('a file of %j is called %j', (name, expected) => {
  expect(datedFileName(name, noon)).toBe(expected);
});
