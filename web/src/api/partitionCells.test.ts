import { expect, it } from 'vitest';
import { cellOf, scanCells } from './partitionCells';

const rows = [
  ['a', null, ''],
  ['"quoted" \\ [x], null', 'é\n☃', 'b'],
];

it('finds every cell', () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ data: rows }));
  const cells = scanCells(bytes, 3, 2);
  expect(rows.map((row, at) => row.map((_, column) => cellOf(cells, at, column)))).toEqual(rows);
});

it('refuses a part that is too short', () => {
  const bytes = new TextEncoder().encode('{"data":[["a"]]}');
  expect(() => scanCells(bytes, 1, 2)).toThrow();
});
