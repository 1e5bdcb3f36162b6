// Roles in rows by who inherits whom: the strongest on top, a role below all that hold it.
export interface RoleEdge {
  /** Holds the other one. */
  above: string;
  below: string;
}

export interface RolePlace {
  name: string;
  x: number;
  y: number;
}

export interface RoleTree {
  places: RolePlace[];
  edges: RoleEdge[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 44;
const GAP_ACROSS = 20;
const GAP_DOWN = 44;

export function roleTree(roles: readonly string[], edges: readonly RoleEdge[]): RoleTree {
  const known = new Set(roles);
  const shown = edges.filter(({ above, below }) => known.has(above) && known.has(below));
  const levels = levelsOf(roles, shown);
  const depth = Math.max(-1, ...levels.values()) + 1;
  const rows = Array.from({ length: depth }, (_, level) =>
    roles.filter((role) => levels.get(role) === level),
  );
  const places = new Map<string, RolePlace>();
  let width = NODE_WIDTH;
  rows.forEach((row, level) => {
    const wish = (role: string) => {
      const above = shown.filter(({ below }) => below === role);
      const xs = above.map((edge) => places.get(edge.above)?.x ?? 0);
      return xs.length === 0 ? 0 : xs.reduce((sum, x) => sum + x, 0) / xs.length;
    };
    const sorted = [...row].sort((one, other) => wish(one) - wish(other));
    sorted.forEach((name, index) => {
      const x = index * (NODE_WIDTH + GAP_ACROSS);
      places.set(name, { name, x, y: level * (NODE_HEIGHT + GAP_DOWN) });
      width = Math.max(width, x + NODE_WIDTH);
    });
  });
  const height = Math.max(rows.length * (NODE_HEIGHT + GAP_DOWN) - GAP_DOWN, 0);
  return { places: [...places.values()], edges: shown, width, height };
}

/** The longest way down to each role. The server allows no circles; one would end the search here. */
function levelsOf(roles: readonly string[], edges: readonly RoleEdge[]): Map<string, number> {
  const levels = new Map(roles.map((role) => [role, 0]));
  for (let round = 0; round < roles.length; round += 1) {
    let hasMoved = false;
    for (const { above, below } of edges) {
      const level = (levels.get(above) ?? 0) + 1;
      if (level > (levels.get(below) ?? 0) && level < roles.length) {
        levels.set(below, level);
        hasMoved = true;
      }
    }
    if (!hasMoved) break;
  }
  return levels;
}
