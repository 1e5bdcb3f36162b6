import { expect, it } from 'vitest';
import { levelParts, placeLabels } from './placeLabels';

const REGIONS = ['Central Europe', 'Nordics', 'North America', 'Western Europe', 'Oceania'];

it.each([
  ['a wide chart', REGIONS, 900, { width: 156 }],
  ['a phone', REGIONS, 390, { rotate: 45 }],
  ['the narrowest phone', REGIONS, 288, { rotate: 45 }],
  ['a phone and short names', ['2023', '2024', '2025'], 288, { width: 60 }],
  ['a phone and a long name of three', ['south', 'a', 'north-east of here'], 320, { width: 71 }],
  ['no names', [], 320, {}],
])('names below the bars of %s', (_, names, width, expected) => {
  const labels = placeLabels(names, width);
  expect(labels).toMatchObject(expected);
  expect('rotate' in labels).toBe('rotate' in expected);
});

it('more than a few names are thinned out', () => {
  expect(placeLabels([...REGIONS, ...REGIONS], 390)).toEqual({ hideOverlap: true });
});

it('an axis of values has as many parts as its figures have room for', () => {
  expect([200, 320, 390, 900].map(levelParts)).toEqual([2, 2, 3, 5]);
});
