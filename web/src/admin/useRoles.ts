// Users, and roles with who holds them. Each role is asked for its holders, since no list has all at once.
import { ApiFailure } from '../api/failure';
import { runObjects, sqlName } from '../api/query';
import { type Remote, useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { bareName } from './sqlParts';
import type { Row } from './useAdminQuery';

/** So many roles are asked one by one; beyond, the graph says that it is not whole. */
const ROLES_ASKED_MAX = 150;
const AT_ONCE = 6;

export interface RoleNote {
  users: number;
  /** Roles that hold it. */
  above: number;
  below: number;
  comment: string | null;
  owner: string | null;
}

/** Somebody holds a role. */
export interface Holding {
  holder: string;
  kind: 'user' | 'role';
  role: string;
}

export interface Roles {
  names: string[];
  notes: ReadonlyMap<string, RoleNote>;
  holdings: Holding[];
  /** Everybody whom the role may see; null where it may list nobody. */
  users: readonly string[] | null;
  /** Roles with holders that were not asked for them. */
  notAsked: number;
}

export function useRoles(): Remote<Roles> {
  const role = useRole();
  return useRemote(`roles ${role}`, (signal) => loadRoles(role, signal));
}

async function loadRoles(role: string | null, signal: AbortSignal): Promise<Roles> {
  const [rows, users] = await Promise.all([
    runObjects('SHOW ROLES', { role }, signal),
    loadUsers(role, signal),
  ]);
  const names = rows.map(({ name }) => name ?? '');
  const notes = new Map(rows.map((row) => [row.name ?? '', noteOf(row)]));
  const asked = rows
    .filter((row) => Number(row.granted_to_roles ?? 0) + Number(row.assigned_to_users ?? 0) > 0)
    .map(({ name }) => name ?? '');
  const holdings: Holding[] = [];
  for (let first = 0; first < Math.min(asked.length, ROLES_ASKED_MAX); first += AT_ONCE) {
    const found = await Promise.all(
      asked.slice(first, first + AT_ONCE).map((name) => holdersOf(name, role, signal)),
    );
    holdings.push(...found.flat());
  }
  const notAsked = Math.max(asked.length - ROLES_ASKED_MAX, 0);
  return { names, notes, holdings, users, notAsked };
}

async function loadUsers(role: string | null, signal: AbortSignal): Promise<string[] | null> {
  try {
    const rows = await runObjects('SHOW USERS', { role }, signal);
    return rows.map(({ name }) => name ?? '');
  } catch (error) {
    if (error instanceof ApiFailure) return null;
    throw error;
  }
}

async function holdersOf(
  name: string,
  role: string | null,
  signal: AbortSignal,
): Promise<Holding[]> {
  const rows = await runObjects(`SHOW GRANTS OF ROLE ${sqlName(name)}`, { role }, signal);
  return rows.map((row) => ({
    holder: bareName(row.grantee_name ?? ''),
    kind: row.granted_to === 'USER' ? 'user' : 'role',
    role: name,
  }));
}

function noteOf(row: Row): RoleNote {
  return {
    users: Number(row.assigned_to_users ?? 0),
    above: Number(row.granted_to_roles ?? 0),
    below: Number(row.granted_roles ?? 0),
    comment: row.comment ?? null,
    owner: row.owner ?? null,
  };
}
