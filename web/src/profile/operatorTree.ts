// The operators as a tree with places: the result on top, what it reads below, every step a row.
// Leaves stand side by side and a parent in the middle above its children.
import type { ProfiledOperator } from '../api/profile';

export const BOX_WIDTH = 196;
export const BOX_HEIGHT = 66;
const GAP_ACROSS = 24;
const GAP_DOWN = 54;

export interface OperatorNode {
  operator: ProfiledOperator;
  children: OperatorNode[];
  /** The left upper corner of its box. */
  x: number;
  y: number;
  /** Its place among the dearest three, from 1, or null. */
  rank: number | null;
}

export interface OperatorTree {
  roots: OperatorNode[];
  /** Parents before children. */
  nodes: OperatorNode[];
  width: number;
  height: number;
}

const MARKED = 3;

export function operatorTree(operators: readonly ProfiledOperator[]): OperatorTree {
  const ranks = ranksOf(operators);
  const byId = new Map<number, OperatorNode>();
  const nodes: OperatorNode[] = [];
  const roots: OperatorNode[] = [];
  for (const operator of operators) {
    const rank = ranks.get(operator.id) ?? null;
    const node: OperatorNode = { operator, children: [], x: 0, y: 0, rank };
    const parent = operator.parent === null ? undefined : byId.get(operator.parent);
    (parent?.children ?? roots).push(node);
    byId.set(operator.id, node);
    nodes.push(node);
  }
  let right = 0;
  let bottom = 0;
  const place = (node: OperatorNode, depth: number) => {
    node.y = depth * (BOX_HEIGHT + GAP_DOWN);
    bottom = Math.max(bottom, node.y + BOX_HEIGHT);
    for (const child of node.children) place(child, depth + 1);
    const first = node.children[0];
    const last = node.children.at(-1);
    if (first && last) {
      node.x = (first.x + last.x) / 2;
      return;
    }
    node.x = right;
    right += BOX_WIDTH + GAP_ACROSS;
  };
  for (const root of roots) place(root, 0);
  return { roots, nodes, width: Math.max(right - GAP_ACROSS, BOX_WIDTH), height: bottom };
}

function ranksOf(operators: readonly ProfiledOperator[]): Map<number, number> {
  const dearest = operators
    .filter(({ milliseconds }) => milliseconds > 0)
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, MARKED);
  return new Map(dearest.map(({ id }, index) => [id, index + 1]));
}

/** By the logarithm: a million rows are three times as wide as a hundred. */
export function arrowWidth(rows: number | null): number {
  if (rows === null || rows < 1) return 1;
  return 1 + Math.min(Math.log10(rows), 9);
}
