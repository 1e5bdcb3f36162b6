import { expect, test } from 'vitest';
import { type GraphNode, NODE_WIDTH, type NodeKind, placeGraph } from './roleGraph';

const node = (id: string, kind: NodeKind = 'role'): GraphNode => ({
  id,
  kind,
  name: id,
  detail: '',
});

test('a role stands below all that hold it', () => {
  const { places, edges } = placeGraph(
    ['ADMIN', 'READER', 'WRITER', 'ALONE'].map((name) => node(name)),
    [
      { above: 'ADMIN', below: 'READER' },
      { above: 'ADMIN', below: 'WRITER' },
      { above: 'WRITER', below: 'READER' },
      { above: 'ADMIN', below: 'HIDDEN' },
    ],
  );
  const y = (id: string) => places.find((place) => place.node.id === id)?.y ?? -1;
  expect(y('ADMIN')).toBe(0);
  expect(y('WRITER')).toBeGreaterThan(y('ADMIN'));
  expect(y('READER')).toBeGreaterThan(y('WRITER'));
  expect(edges).toHaveLength(3);
  expect(y('ALONE')).toBeGreaterThan(y('READER'));
});

test('what neither holds nor is held fills rows below the others, and none on another', () => {
  const alone = Array.from({ length: 8 }, (_, index) => node(`ALONE_${index}`));
  const { places, width, height } = placeGraph(
    [node('ANN', 'user'), node('R'), ...alone],
    [{ above: 'ANN', below: 'R' }],
  );
  const below = places.filter(({ node: { id } }) => id.startsWith('ALONE'));
  expect(new Set(below.map(({ x, y }) => `${x} ${y}`)).size).toBe(8);
  expect(new Set(below.map(({ y }) => y)).size).toBeGreaterThan(1);
  const lowest = Math.max(...places.filter((one) => !below.includes(one)).map(({ y }) => y));
  expect(Math.min(...below.map(({ y }) => y))).toBeGreaterThan(lowest);
  expect(Math.max(...below.map(({ x }) => x)) + NODE_WIDTH).toBeLessThanOrEqual(width);
  expect(height).toBeGreaterThan(Math.max(...below.map(({ y }) => y)));
});

test('users stand right above their roles, objects below, and nothing on another', () => {
  const { places } = placeGraph(
    [
      node('ANN', 'user'),
      node('BEN', 'user'),
      node('R'),
      node('S'),
      node('T', 'object'),
      node('U', 'object'),
    ],
    [
      { above: 'R', below: 'S' },
      { above: 'BEN', below: 'S' },
      { above: 'ANN', below: 'R' },
      { above: 'R', below: 'T' },
      { above: 'R', below: 'U' },
    ],
  );
  const at = (id: string) => places.find((place) => place.node.id === id) ?? { x: -1, y: -1 };
  expect(at('ANN').y).toBeLessThan(at('R').y);
  expect(at('BEN').y).toBe(at('R').y);
  expect(at('T').y).toBeGreaterThan(at('R').y);
  expect(at('U').x).toBeGreaterThanOrEqual(at('T').x + NODE_WIDTH);
});

test('nothing needs no room', () => {
  expect(placeGraph([], [])).toMatchObject({ places: [], height: 0 });
});
