// Who holds which role, and what roles may use, in rows: whoever holds something stands above it. What
// neither holds nor is held stands in rows below all others.
export type NodeKind = 'user' | 'role' | 'object';

export interface GraphNode {
  id: string;
  kind: NodeKind;
  name: string;
  detail: string;
}

export interface GraphEdge {
  /** Holds the other one. */
  above: string;
  below: string;
}

export interface NodePlace {
  node: GraphNode;
  x: number;
  y: number;
}

export interface RoleGraph {
  places: NodePlace[];
  edges: GraphEdge[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 156;
export const NODE_HEIGHT = 44;
const GAP_ACROSS = 20;
const GAP_DOWN = 44;
const GAP_ALONE = 12;
const ALONE_IN_ROW_MIN = 3;

export const roleId = (name: string) => `role ${name}`;

export function placeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): RoleGraph {
  const known = new Set(nodes.map(({ id }) => id));
  const shown = edges.filter(({ above, below }) => known.has(above) && known.has(below));
  const linked = new Set(shown.flatMap(({ above, below }) => [above, below]));
  const levels = levelsOf(
    nodes.filter(({ id }) => linked.has(id)),
    shown,
  );
  const depth = Math.max(-1, ...levels.values()) + 1;
  const places = new Map<string, NodePlace>();
  const holders = new Map<string, string[]>();
  for (const { above, below } of shown) {
    holders.set(below, [...(holders.get(below) ?? []), above]);
  }
  let width = NODE_WIDTH;
  for (let level = 0; level < depth; level += 1) {
    const row = nodes
      .filter(({ id }) => levels.get(id) === level)
      .map((node) => ({ node, wish: middle((holders.get(node.id) ?? []).map(xOf(places))) }))
      .sort((one, other) => one.wish - other.wish);
    let free = 0;
    for (const { node, wish } of row) {
      const x = Math.max(free, Number.isFinite(wish) ? wish : free);
      places.set(node.id, { node, x, y: level * (NODE_HEIGHT + GAP_DOWN) });
      free = x + NODE_WIDTH + GAP_ACROSS;
      width = Math.max(width, x + NODE_WIDTH);
    }
  }
  const top = depth * (NODE_HEIGHT + GAP_DOWN);
  const alone = placeAlone(
    nodes.filter(({ id }) => !linked.has(id)),
    width,
    top,
  );
  const all = [...places.values(), ...alone];
  return {
    places: all,
    edges: shown,
    width: Math.max(0, ...all.map(({ x }) => x + NODE_WIDTH)),
    height: Math.max(0, ...all.map(({ y }) => y + NODE_HEIGHT)),
  };
}

/** In rows no wider than what is above them, as words in lines. */
function placeAlone(nodes: readonly GraphNode[], width: number, top: number): NodePlace[] {
  const fitting = Math.floor((width + GAP_ACROSS) / (NODE_WIDTH + GAP_ACROSS));
  const inRow = Math.max(fitting, ALONE_IN_ROW_MIN);
  return nodes.map((node, index) => ({
    node,
    x: (index % inRow) * (NODE_WIDTH + GAP_ACROSS),
    y: top + Math.floor(index / inRow) * (NODE_HEIGHT + GAP_ALONE),
  }));
}

const xOf = (places: ReadonlyMap<string, NodePlace>) => (id: string) => places.get(id)?.x ?? 0;

/** What nobody holds stands behind what somebody does. */
function middle(xs: readonly number[]): number {
  return xs.length === 0 ? Number.POSITIVE_INFINITY : xs.reduce((sum, x) => sum + x, 0) / xs.length;
}

/** The longest way down to each role and object; a user stands right above the first role held. */
function levelsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const users = new Set(nodes.filter(({ kind }) => kind === 'user').map(({ id }) => id));
  const levels = new Map(nodes.filter(({ id }) => !users.has(id)).map(({ id }) => [id, 0]));
  const below = edges.filter(({ above }) => !users.has(above));
  // The server allows no circles; one would end the search here.
  for (let round = 0; round < nodes.length; round += 1) {
    let hasMoved = false;
    for (const edge of below) {
      const level = (levels.get(edge.above) ?? 0) + 1;
      if (level > (levels.get(edge.below) ?? 0) && level <= nodes.length) {
        levels.set(edge.below, level);
        hasMoved = true;
      }
    }
    if (!hasMoved) break;
  }
  for (const { above, below: held } of edges) {
    if (!users.has(above)) continue;
    const level = (levels.get(held) ?? 0) - 1;
    levels.set(above, Math.min(levels.get(above) ?? level, level));
  }
  const top = Math.min(0, ...levels.values());
  return new Map([...levels].map(([id, level]) => [id, level - top]));
}
