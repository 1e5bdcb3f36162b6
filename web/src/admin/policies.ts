// The policies of an account: what each is, and where it is used.
import { runObjects, runQuery, sqlName, sqlPath, sqlText } from '../api/query';
import { KINDS, type Policy, type PolicyKind } from './policyKinds';
import type { Row } from './useAdminQuery';

export async function loadPolicies(role: string | null, signal: AbortSignal) {
  const lists = await Promise.allSettled(
    KINDS.map(async (kind) => {
      const scope = kind.id === 'network' ? '' : ' IN ACCOUNT';
      const rows = await runObjects(`SHOW ${kind.plural}${scope}`, { role }, signal);
      return rows.map((row): Policy => {
        const name = row.name ?? '';
        const path = row.database_name
          ? sqlPath(row.database_name, row.schema_name ?? '', name)
          : sqlName(name);
        return { kind, row, path };
      });
    }),
  );
  signal.throwIfAborted();
  const failures = lists.flatMap((one) =>
    one.status === 'rejected' ? [one.reason instanceof Error ? one.reason.message : ''] : [],
  );
  const policies = lists.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return { policies, failures };
}

/** What has a policy, and the statement that takes it off. */
export interface Use {
  kind: string;
  name: string;
  column: string;
  takeOff: string | null;
}

export async function loadDetails(policy: Policy, role: string | null, signal: AbortSignal) {
  const { kind, row, path } = policy;
  const context = { role, database: row.database_name ?? null };
  if (kind.id === 'network') {
    const properties = await runObjects(`DESC NETWORK POLICY ${path}`, context, signal);
    const uses = await networkUses(row.name ?? '', role, signal);
    return { ddl: null, properties, uses, usesError: null };
  }
  const [ddl, references] = await Promise.all([
    runQuery(`SELECT GET_DDL('POLICY', ${sqlText(path)})`, context, signal),
    runObjects(
      `SELECT * FROM TABLE(${sqlName(row.database_name ?? '')}.INFORMATION_SCHEMA.POLICY_REFERENCES(` +
        `POLICY_NAME => ${sqlText(path)}))`,
      context,
      signal,
    ).catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
  ]);
  const isKnown = typeof references !== 'string';
  return {
    ddl: ddl.rows[0]?.[0] ?? '',
    properties: [],
    uses: (isKnown ? references : []).map((one) => useOf(policy, one)),
    usesError: isKnown ? null : references,
  };
}

function useOf({ kind, path }: Policy, row: Row): Use {
  const parts = [row.ref_database_name, row.ref_schema_name, row.ref_entity_name];
  const named = parts.filter((part) => part !== null && part !== undefined);
  const domain = (row.ref_entity_domain ?? '').toUpperCase();
  const column = row.ref_column_name ?? '';
  const tag = row.tag_name ? ` by tag ${row.tag_name}` : '';
  return {
    kind: domain.toLowerCase(),
    name: named.join('.'),
    column: (column || (row.ref_arg_column_names ?? '')) + tag,
    takeOff: tag === '' ? takeOff(kind, path, domain, sqlPath(...named), column) : null,
  };
}

function takeOff(
  kind: PolicyKind,
  path: string,
  domain: string,
  object: string,
  column: string,
): string | null {
  const table = /VIEW/.test(domain) ? 'VIEW' : 'TABLE';
  if (kind.id === 'masking') {
    return column === ''
      ? null
      : `ALTER ${table} ${object} ALTER COLUMN ${sqlName(column)} UNSET MASKING POLICY`;
  }
  if (kind.id === 'row access') return `ALTER ${table} ${object} DROP ROW ACCESS POLICY ${path}`;
  if (domain === 'ACCOUNT') return `ALTER ACCOUNT UNSET ${kind.words}`;
  return domain === 'USER' ? `ALTER USER ${object} UNSET ${kind.words}` : null;
}

const USERS_ASKED_MAX = 100;

/** Parameters of the account and of users name the network policies. */
async function networkUses(name: string, role: string | null, signal: AbortSignal): Promise<Use[]> {
  const asked = (scope: string) =>
    runObjects(`SHOW PARAMETERS LIKE 'NETWORK_POLICY' ${scope}`, { role }, signal);
  const [account, users] = await Promise.all([
    asked('IN ACCOUNT'),
    runObjects('SHOW USERS', { role }, signal),
  ]);
  const found = await Promise.all(
    users.slice(0, USERS_ASKED_MAX).map(async (user) => {
      const rows = await asked(`FOR USER ${sqlName(user.name ?? '')}`).catch((): Row[] => []);
      return rows.some((one) => one.value === name && one.level === 'USER')
        ? [user.name ?? '']
        : [];
    }),
  );
  const ofUsers = found.flat().map((user) => ({
    kind: 'user',
    name: user,
    column: '',
    takeOff: `ALTER USER ${sqlName(user)} UNSET NETWORK_POLICY`,
  }));
  const isOfAccount = account.some((one) => one.value === name);
  const ofAccount = {
    kind: 'account',
    name: '',
    column: '',
    takeOff: 'ALTER ACCOUNT UNSET NETWORK_POLICY',
  };
  return isOfAccount ? [ofAccount, ...ofUsers] : ofUsers;
}
