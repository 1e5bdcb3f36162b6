// What the graph of roles and grants shows: the roles that are looked for, who holds them, and what
// the chosen one may use.
import { type GraphEdge, type GraphNode, roleId } from './roleGraph';
import type { Row } from './useAdminQuery';
import type { RoleNote, Roles } from './useRoles';

/** More of them stand in one node, so that the roles stay in sight. */
const USERS_MAX = 5;
const OBJECTS_MAX = 8;

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export function grantsGraph(
  roles: Roles,
  text: string,
  chosen: { role: string; grants: readonly Row[] } | null,
): Graph {
  const wanted = text.trim().toLowerCase();
  const shown = roles.names.filter((name) => name.toLowerCase().includes(wanted));
  const users = usersOf(roles, new Set(shown));
  const objects =
    chosen && shown.includes(chosen.role) ? objectsOf(chosen) : { nodes: [], edges: [] };
  const held = roles.holdings
    .filter(({ kind }) => kind === 'role')
    .map(({ holder, role }) => ({ above: roleId(holder), below: roleId(role) }));
  return {
    nodes: [...users.nodes, ...shown.map((name) => roleNode(name, roles)), ...objects.nodes],
    edges: [...users.edges, ...held, ...objects.edges],
  };
}

function roleNode(name: string, { notes }: Roles): GraphNode {
  return { id: roleId(name), kind: 'role', name, detail: noteWords(notes.get(name)) };
}

function noteWords(note: RoleNote | undefined): string {
  if (!note) return '';
  const { users, below } = note;
  const people = `${users} ${users === 1 ? 'user' : 'users'}`;
  return below === 0 ? people : `${people}, holds ${below}`;
}

function usersOf({ holdings }: Roles, shown: ReadonlySet<string>): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  for (const role of shown) {
    const users = holdings.filter((one) => one.kind === 'user' && one.role === role);
    const isMany = users.length > USERS_MAX;
    const found = isMany
      ? [{ id: `users of ${role}`, name: `${users.length} users` }]
      : users.map(({ holder }) => ({ id: `user ${holder}`, name: holder }));
    for (const { id, name } of found) {
      nodes.set(id, { id, kind: 'user', name, detail: isMany ? 'hold one role' : 'user' });
      edges.push({ above: id, below: roleId(role) });
    }
  }
  return { nodes: [...nodes.values()], edges };
}

function objectsOf({ role, grants }: { role: string; grants: readonly Row[] }): Graph {
  const privileges = new Map<string, { kind: string; name: string; words: string[] }>();
  for (const { privilege, granted_on: on, name } of grants) {
    if (on === 'ROLE') continue;
    const id = `object ${on} ${name}`;
    const known = privileges.get(id) ?? { kind: kindWords(on), name: name ?? '', words: [] };
    known.words.push((privilege ?? '').toLowerCase());
    privileges.set(id, known);
  }
  const all = [...privileges].map(
    ([id, { kind, name, words }]): GraphNode => ({
      id,
      kind: 'object',
      name: kind === 'account' ? 'the account' : name,
      detail: `${kind}: ${words.join(', ')}`,
    }),
  );
  const nodes = all.slice(0, OBJECTS_MAX);
  if (all.length > OBJECTS_MAX) {
    const name = `${all.length - OBJECTS_MAX} more`;
    nodes.push({ id: 'object more', kind: 'object', name, detail: 'in the list' });
  }
  return { nodes, edges: nodes.map(({ id }) => ({ above: roleId(role), below: id })) };
}

export function kindWords(kind: string | null | undefined): string {
  return (kind ?? '').toLowerCase().replaceAll('_', ' ');
}
