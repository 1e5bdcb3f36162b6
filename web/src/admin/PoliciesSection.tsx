import { useState } from 'react';
import { runObjects, runQuery, sqlName, sqlPath, sqlText } from '../api/query';
import { Button } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { CodeView } from '../editor/CodeView';
import { useRole } from '../shell/role';
import { type Row, shownTimestamp } from './useAdminQuery';

interface PolicyKind {
  /** As SHOW and DESC call it. */
  words: string;
  shown: string;
  plural: string;
}

const KINDS: readonly PolicyKind[] = [
  { words: 'MASKING POLICY', shown: 'masking', plural: 'MASKING POLICIES' },
  { words: 'ROW ACCESS POLICY', shown: 'row access', plural: 'ROW ACCESS POLICIES' },
  { words: 'NETWORK POLICY', shown: 'network', plural: 'NETWORK POLICIES' },
  { words: 'PASSWORD POLICY', shown: 'password', plural: 'PASSWORD POLICIES' },
  { words: 'SESSION POLICY', shown: 'session', plural: 'SESSION POLICIES' },
  { words: 'AUTHENTICATION POLICY', shown: 'authentication', plural: 'AUTHENTICATION POLICIES' },
];

interface Policy {
  kind: PolicyKind;
  row: Row;
  /** Its name in SQL. */
  path: string;
}

/** Every policy of the account: where it is used, and its text. */
export function PoliciesSection() {
  const role = useRole();
  const [opened, setOpened] = useState<string | null>(null);
  const { value, error } = useRemote(`policies ${role}`, (signal) => loadPolicies(role, signal));
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  if (value.policies.length === 0 && value.failures.length === 0) {
    return <EmptyState title="There are no policies">CREATE … POLICY makes them.</EmptyState>;
  }
  const idOf = ({ kind, path }: Policy) => `${kind.words} ${path}`;
  return (
    <div className="admin-section">
      {value.failures.map((message) => (
        <ErrorNote key={message} message={message} />
      ))}
      <PlainTable
        label="Policies"
        rows={value.policies}
        rowKey={idOf}
        isSelected={(policy) => idOf(policy) === opened}
        columns={[
          { name: 'Name', cell: ({ row }) => row.name },
          { name: 'Kind', cell: ({ kind }) => kind.shown },
          {
            name: 'Schema',
            cell: ({ row }) => row.database_name && `${row.database_name}.${row.schema_name}`,
          },
          { name: 'Owner', cell: ({ row }) => row.owner },
          { name: 'Made', cell: ({ row }) => shownTimestamp(row.created_on) },
          { name: 'Comment', cell: ({ row }) => row.comment },
          {
            name: 'What to do',
            look: 'actions',
            cell: (policy) => (
              <Button
                look="quiet"
                aria-expanded={idOf(policy) === opened}
                aria-label={`Show ${policy.row.name}`}
                onPress={() => setOpened(idOf(policy) === opened ? null : idOf(policy))}
              >
                {idOf(policy) === opened ? 'Close' : 'Show'}
              </Button>
            ),
          },
        ]}
        below={(policy) => idOf(policy) === opened && <PolicyDetails policy={policy} />}
      />
    </div>
  );
}

async function loadPolicies(role: string | null, signal: AbortSignal) {
  const lists = await Promise.allSettled(
    KINDS.map(async (kind) => {
      const scope = kind.shown === 'network' ? '' : ' IN ACCOUNT';
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

function PolicyDetails({ policy }: { policy: Policy }) {
  const role = useRole();
  const { value, error } = useRemote(`${role} ${policy.kind.words} ${policy.path}`, (signal) =>
    loadDetails(policy, role, signal),
  );
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  return (
    <div className="policy-details">
      {value.ddl !== null && <CodeView text={value.ddl} label={`DDL of ${policy.row.name}`} />}
      {value.properties.length > 0 && (
        <PlainTable
          label={`Properties of ${policy.row.name}`}
          rows={value.properties}
          rowKey={(row) => row.property ?? row.name ?? ''}
          columns={[
            { name: 'Property', cell: (row) => row.property ?? row.name },
            { name: 'Value', cell: (row) => row.value },
          ]}
        />
      )}
      <PlainTable
        label={`Where ${policy.row.name} is used`}
        rows={value.uses}
        rowKey={(use) => use.join(' ')}
        empty={value.usesError ?? 'It is used nowhere.'}
        columns={[
          { name: 'Used by', cell: ([kind]) => kind },
          { name: 'Name', cell: ([, name]) => name },
          { name: 'Column', cell: ([, , column]) => column },
        ]}
      />
    </div>
  );
}

type Use = readonly [kind: string, name: string, column: string];

async function loadDetails({ kind, row, path }: Policy, role: string | null, signal: AbortSignal) {
  const context = { role, database: row.database_name ?? null };
  if (kind.shown === 'network') {
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
  const uses = (isKnown ? references : []).map((one): Use => {
    const parts = [one.ref_database_name, one.ref_schema_name, one.ref_entity_name];
    const name = parts.filter((part) => part !== null && part !== undefined).join('.');
    const tag = one.tag_name ? ` by tag ${one.tag_name}` : '';
    return [
      (one.ref_entity_domain ?? '').toLowerCase(),
      name,
      (one.ref_column_name ?? one.ref_arg_column_names ?? '') + tag,
    ];
  });
  const usesError = isKnown ? null : references;
  return { ddl: ddl.rows[0]?.[0] ?? '', properties: [], uses, usesError };
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
  const uses: Use[] = account.some((one) => one.value === name) ? [['account', '', '']] : [];
  const found = await Promise.all(
    users.slice(0, USERS_ASKED_MAX).map(async (user) => {
      const rows = await asked(`FOR USER ${sqlName(user.name ?? '')}`).catch((): Row[] => []);
      return rows.some((one) => one.value === name && one.level === 'USER')
        ? [user.name ?? '']
        : [];
    }),
  );
  for (const user of found.flat()) uses.push(['user', user, '']);
  return uses;
}
