import { useDeferredValue, useId, useState } from 'react';
import { runObjects, sqlName, sqlPath } from '../api/query';
import { Select } from '../components/Select';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { isOfTables, type Policy } from './policyKinds';
import { argumentNames, setOnAccount, setOnTable } from './policySql';
import { StatementDialog } from './StatementDialog';
import { pathOf } from './sqlParts';
import { useAdminQuery } from './useAdminQuery';

interface SetPolicyProps {
  policy: Policy;
  onClose: () => void;
  onDone: () => void;
}

/** Puts a policy on what it is for: columns and rows of tables, or the account and its users. */
export function SetPolicy(props: SetPolicyProps) {
  return isOfTables(props.policy.kind) ? <SetOnTable {...props} /> : <SetOnAccount {...props} />;
}

const ACCOUNT = '\u0000account';

function SetOnAccount({ policy, onClose, onDone }: SetPolicyProps) {
  const users = useAdminQuery('SHOW USERS');
  const [target, setTarget] = useState<string | null>(null);
  const names = (users.value ?? []).map(({ name }) => name ?? '');
  return (
    <StatementDialog
      title={`Set ${policy.row.name}`}
      verb="Set"
      statements={[setOnAccount(policy, target === ACCOUNT ? null : target)]}
      problem={target === null ? 'Choose whom it is for.' : null}
      onClose={onClose}
      onDone={onDone}
    >
      <Select
        label="For"
        showLabel
        value={target}
        placeholder="Choose"
        choices={[
          { id: ACCOUNT, name: 'The account: all who have none of their own' },
          ...names.map((name) => ({ id: name, name })),
        ]}
        onChange={setTarget}
      />
    </StatementDialog>
  );
}

const TABLES_OFFERED_MAX = 1000;

function SetOnTable({ policy, onClose, onDone }: SetPolicyProps) {
  const database = policy.row.database_name ?? '';
  const tables = useAdminQuery(
    `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM ${sqlName(database)}.INFORMATION_SCHEMA.TABLES ` +
      `WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA' ORDER BY 1, 2 LIMIT ${TABLES_OFFERED_MAX}`,
  );
  const described = useAdminQuery(`DESC ${policy.kind.words} ${policy.path}`);
  const [name, setName] = useState('');
  const [columns, setColumns] = useState<readonly string[]>([]);
  const listId = useId();
  const offered = (tables.value ?? []).map((row) => ({
    path: sqlPath(database, row.table_schema ?? '', row.table_name ?? ''),
    isView: /VIEW/.test(row.table_type ?? ''),
  }));
  const path = pathOf(name);
  const known = offered.find((one) => one.path === path);
  const found = useColumns(name.trim() === '' ? null : path);
  const wanted = argumentNames(described.value?.[0]?.signature ?? '');
  const chosen = wanted.map((_, index) => columns[index] ?? '');
  const problem =
    name.trim() === ''
      ? 'Name the table as SQL does: DATABASE.SCHEMA.NAME.'
      : wanted.length === 0 || chosen.includes('')
        ? 'Choose the columns.'
        : null;
  return (
    <StatementDialog
      title={`Set ${policy.row.name}`}
      verb="Set"
      statements={[setOnTable(policy, known ?? { path, isView: false }, chosen)]}
      problem={problem}
      onClose={onClose}
      onDone={onDone}
    >
      <label className="field">
        <span className="field-label">Table or view</span>
        <input
          className="field-input mono"
          list={listId}
          value={name}
          placeholder="DEMO.PUBLIC.ORDERS"
          onChange={({ target }) => {
            setName(target.value);
            setColumns([]);
          }}
        />
      </label>
      <datalist id={listId}>
        {offered.map((one) => (
          <option key={one.path} value={one.path} />
        ))}
      </datalist>
      <div className="admin-pair">
        {wanted.map((argument, index) => (
          <Select
            key={argument}
            label={columnLabel(policy, argument, index)}
            showLabel
            value={chosen[index] || null}
            placeholder="Choose"
            isDisabled={found.length === 0}
            choices={found.map(({ column, type }) => ({ id: column, name: column, hint: type }))}
            onChange={(column) => setColumns(chosen.with(index, column))}
          />
        ))}
      </div>
    </StatementDialog>
  );
}

function columnLabel({ kind }: Policy, argument: string, index: number): string {
  return kind.id === 'masking' && index === 0 ? 'Column to mask' : `Column for ${argument}`;
}

/** The columns of a table that is being typed; none while its name is not whole. */
function useColumns(path: string | null): { column: string; type: string }[] {
  const role = useRole();
  const asked = useDeferredValue(path);
  const { value } = useRemote(asked && `columns ${role} ${asked}`, async (signal) => {
    await new Promise((wait) => setTimeout(wait, 250));
    signal.throwIfAborted();
    return runObjects(`DESC TABLE ${asked}`, { role }, signal).catch(() => []);
  });
  return (value ?? []).map(({ name, type }) => ({ column: name ?? '', type: type ?? '' }));
}
