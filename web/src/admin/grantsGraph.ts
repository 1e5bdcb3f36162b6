// What the graph of roles and grants shows: the roles and users that are looked for, who holds what,
// and what the chosen role may use. Users without a role and roles that nobody has are in it, too.
import { type GraphEdge, type GraphNode, roleId } from './roleGraph';
import type { Row } from './useAdminQuery';
import type { RoleNote, Roles } from './useRoles';

/** More of them stand in one node, so that the roles stay in sight. */
const USERS_MAX = 5;
const OBJECTS_MAX = 8;
const ROLELESS_MAX = 30;
const ROLES_MAX = 120;

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface GrantsGraph extends Graph {
  /** Roles that are looked for and not drawn, since there are too many. */
  rolesLeftOut: number;
}

export function grantsGraph(
  roles: Roles,
  text: string,
  chosen: { role: string; grants: readonly Row[] } | null,
): GrantsGraph {
  const wanted = text.trim().toLowerCase();
  const isWanted = (name: string) => name.toLowerCase().includes(wanted);
  const found = roles.names.filter(isWanted);
  const shown = mostLinked(found, roles, chosen?.role ?? null);
  const users = usersOf(roles, new Set(shown));
  const roleless = rolelessUsers(roles).filter(isWanted);
  const objects =
    chosen && shown.includes(chosen.role) ? objectsOf(chosen) : { nodes: [], edges: [] };
  const held = roles.holdings
    .filter(({ kind }) => kind === 'role')
    .map(({ holder, role }) => ({ above: roleId(holder), below: roleId(role) }));
  return {
    nodes: [
      ...users.nodes,
      ...shown.map((name) => roleNode(name, roles)),
      ...objects.nodes,
      ...rolelessNodes(roleless),
    ],
    edges: [...users.edges, ...held, ...objects.edges],
    rolesLeftOut: found.length - shown.length,
  };
}

/** Of too many roles the chosen one, then those that are held or hold others, then the rest. */
function mostLinked(names: readonly string[], { notes }: Roles, chosen: string | null): string[] {
  if (names.length <= ROLES_MAX) return [...names];
  const rank = (name: string) => {
    const note = notes.get(name);
    if (name === chosen) return 0;
    return note && (!isHeldByNobody(name, note) || note.below > 0) ? 1 : 2;
  };
  const ranked = names.toSorted((one, other) => rank(one) - rank(other));
  const kept = new Set(ranked.slice(0, ROLES_MAX));
  return names.filter((name) => kept.has(name));
}

/** Nobody can be told to be without a role while some roles were not asked for who holds them. */
function rolelessUsers({ users, holdings, notAsked }: Roles): string[] {
  if (users === null || notAsked > 0) return [];
  const holders = new Set(
    holdings.filter(({ kind }) => kind === 'user').map(({ holder }) => holder),
  );
  return users.filter((name) => !holders.has(name));
}

function rolelessNodes(users: readonly string[]): GraphNode[] {
  const nodes = users.slice(0, ROLELESS_MAX).map(
    (name): GraphNode => ({
      id: `user ${name}`,
      kind: 'user',
      name,
      detail: 'user without a role',
    }),
  );
  const more = users.length - nodes.length;
  if (more === 0) return nodes;
  const name = `${more} more ${more === 1 ? 'user' : 'users'}`;
  return [...nodes, { id: 'users without a role', kind: 'user', name, detail: 'without a role' }];
}

function roleNode(name: string, { notes }: Roles): GraphNode {
  return { id: roleId(name), kind: 'role', name, detail: noteWords(name, notes.get(name)) };
}

/** Everybody has PUBLIC, which is granted to nobody. */
function isHeldByNobody(name: string, { users, above }: RoleNote): boolean {
  return name !== 'PUBLIC' && users === 0 && above === 0;
}

function noteWords(name: string, note: RoleNote | undefined): string {
  if (!note) return '';
  const { users, below } = note;
  const people = isHeldByNobody(name, note)
    ? 'granted to nobody'
    : name === 'PUBLIC'
      ? 'everybody'
      : `${users} ${users === 1 ? 'user' : 'users'}`;
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
