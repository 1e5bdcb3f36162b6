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
  expect(y('ALONE')).toBe(0);
  expect(y('WRITER')).toBeGreaterThan(y('ADMIN'));
  expect(y('READER')).toBeGreaterThan(y('WRITER'));
  expect(edges).toHaveLength(3);
});

test('users stand right above their roles, objects below, and nothing on another', () => {
  const { places } = placeGraph(
    [
      node('ANN', 'user'),
      node('BEN', 'user'),
      node('R'),
      node('FREE'),
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
  expect(at('FREE').y).toBe(at('R').y);
  expect(at('FREE').x).toBeGreaterThanOrEqual(at('R').x + NODE_WIDTH);
  expect(at('T').y).toBeGreaterThan(at('R').y);
  expect(at('U').x).toBeGreaterThanOrEqual(at('T').x + NODE_WIDTH);
});

test('nothing needs no room', () => {
  expect(placeGraph([], [])).toMatchObject({ places: [], height: 0 });
});
