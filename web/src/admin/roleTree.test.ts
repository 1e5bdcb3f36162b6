import { expect, test } from 'vitest';
import { roleTree } from './roleTree';

test('a role stands below all that hold it', () => {
  const { places, edges } = roleTree(
    ['ADMIN', 'READER', 'WRITER', 'ALONE'],
    [
      { above: 'ADMIN', below: 'READER' },
      { above: 'ADMIN', below: 'WRITER' },
      { above: 'WRITER', below: 'READER' },
      { above: 'ADMIN', below: 'HIDDEN' },
    ],
  );
  const y = (name: string) => places.find((place) => place.name === name)?.y ?? -1;
  expect(y('ADMIN')).toBe(0);
  expect(y('ALONE')).toBe(0);
  expect(y('WRITER')).toBeGreaterThan(y('ADMIN'));
  expect(y('READER')).toBeGreaterThan(y('WRITER'));
  expect(edges).toHaveLength(3);
});

test('no roles, no room', () => {
  expect(roleTree([], [])).toMatchObject({ places: [], height: 0 });
});
