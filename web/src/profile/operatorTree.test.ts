import { expect, test } from 'vitest';
import type { ProfiledOperator } from '../api/profile';
import { arrowWidth, BOX_WIDTH, operatorTree } from './operatorTree';

function step(
  id: number,
  parent: number | null,
  milliseconds: number,
  rows: number | null = null,
): ProfiledOperator {
  const rest = { operator: 'TableScan', object: null, expressions: null, share: 0 };
  return { id, parent, milliseconds, rows, ...rest };
}

const operators = [step(0, null, 1, 3), step(1, 0, 6, 9), step(2, 1, 3), step(3, 1, 2, 1_000_000)];

test('a parent stands in the middle above its children', () => {
  const { roots, nodes, width } = operatorTree(operators);
  expect(roots).toHaveLength(1);
  const [sort, join, left, right] = nodes;
  expect(sort?.x).toBe(join?.x);
  expect((left?.x ?? 0) + (right?.x ?? 0)).toBe(2 * (join?.x ?? 0));
  expect((right?.x ?? 0) - (left?.x ?? 0)).toBeGreaterThan(BOX_WIDTH);
  expect(width).toBe((right?.x ?? 0) + BOX_WIDTH);
});

test('the three dearest are marked', () => {
  const { nodes } = operatorTree(operators);
  expect(nodes.map(({ rank }) => rank)).toEqual([null, 1, 2, 3]);
});

test('arrows grow with the logarithm of their rows', () => {
  expect(arrowWidth(null)).toBe(1);
  expect(arrowWidth(0)).toBe(1);
  expect(arrowWidth(1_000_000)).toBeCloseTo(7);
});

test('no operators make no tree', () => {
  expect(operatorTree([])).toMatchObject({ nodes: [], height: 0 });
});
