// Roles with who holds them. Each role is asked for its holders, since no list has all at once.
import { runObjects, sqlName } from '../api/query';
import { type Remote, useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import type { RoleEdge } from './roleTree';
import { bareName } from './sqlParts';
import type { Row } from './useAdminQuery';

/** So many roles are asked one by one; beyond, the graph says that it is not whole. */
export const ROLES_ASKED_MAX = 150;
const AT_ONCE = 6;

export interface RoleNote {
  users: number;
  below: number;
  comment: string | null;
  owner: string | null;
}

export interface Roles {
  names: string[];
  notes: ReadonlyMap<string, RoleNote>;
  edges: RoleEdge[];
  isWhole: boolean;
}

export function useRoles(): Remote<Roles> {
  const role = useRole();
  return useRemote(`roles ${role}`, (signal) => loadRoles(role, signal));
}

async function loadRoles(role: string | null, signal: AbortSignal): Promise<Roles> {
  const rows = await runObjects('SHOW ROLES', { role }, signal);
  const names = rows.map(({ name }) => name ?? '');
  const notes = new Map(rows.map((row) => [row.name ?? '', noteOf(row)]));
  const asked = rows
    .filter((row) => Number(row.granted_to_roles ?? 0) > 0)
    .map(({ name }) => name ?? '');
  const edges: RoleEdge[] = [];
  for (let first = 0; first < Math.min(asked.length, ROLES_ASKED_MAX); first += AT_ONCE) {
    const found = await Promise.all(
      asked.slice(first, first + AT_ONCE).map((name) => holdersOf(name, role, signal)),
    );
    edges.push(...found.flat());
  }
  return { names, notes, edges, isWhole: asked.length <= ROLES_ASKED_MAX };
}

async function holdersOf(
  name: string,
  role: string | null,
  signal: AbortSignal,
): Promise<RoleEdge[]> {
  const rows = await runObjects(`SHOW GRANTS OF ROLE ${sqlName(name)}`, { role }, signal);
  return rows
    .filter((row) => row.granted_to === 'ROLE')
    .map((row) => ({ above: bareName(row.grantee_name ?? ''), below: name }));
}

function noteOf(row: Row): RoleNote {
  return {
    users: Number(row.assigned_to_users ?? 0),
    below: Number(row.granted_roles ?? 0),
    comment: row.comment ?? null,
    owner: row.owner ?? null,
  };
}
