import { useId, useState } from 'react';
import { sqlName } from '../api/query';
import { TextField } from '../components/fields';
import { Select } from '../components/Select';
import { StatementDialog } from './StatementDialog';
import { bareName, option, pathOf, typedName } from './sqlParts';
import { useAdminQuery } from './useAdminQuery';

interface CreateRoleProps {
  onClose: () => void;
  onDone: (name: string) => void;
}

export function CreateRole({ onClose, onDone }: CreateRoleProps) {
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  return (
    <StatementDialog
      title="New role"
      verb="Create"
      statements={[`CREATE ROLE ${typedName(name)}${option('COMMENT', comment)}`]}
      problem={name.trim() === '' ? 'Name the role.' : null}
      onClose={onClose}
      onDone={() => onDone(bareName(typedName(name)))}
    >
      <div className="admin-pair">
        <TextField label="Name" value={name} onChange={setName} autoFocus />
        <TextField label="Comment" value={comment} onChange={setComment} />
      </div>
    </StatementDialog>
  );
}

interface RoleFormProps {
  role: string;
  onClose: () => void;
  onDone: () => void;
}

export function DropRole({ role, onClose, onDone }: RoleFormProps) {
  return (
    <StatementDialog
      title={`Drop ${role}?`}
      verb="Drop"
      isDangerous
      statements={[`DROP ROLE ${sqlName(role)}`]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        What it owns goes to the role that drops it. Views, functions and policies of it read with
        that role's rights from then on.
      </p>
    </StatementDialog>
  );
}

/** The role to a user or to another role. */
export function GrantRole({ role, onClose, onDone }: RoleFormProps) {
  const [kind, setKind] = useState<'USER' | 'ROLE'>('USER');
  const [grantee, setGrantee] = useState<string | null>(null);
  const users = useAdminQuery('SHOW USERS');
  const roles = useAdminQuery('SHOW ROLES');
  const names = ((kind === 'USER' ? users.value : roles.value) ?? [])
    .map(({ name }) => name ?? '')
    .filter((name) => kind === 'USER' || name !== role);
  return (
    <StatementDialog
      title={`Grant ${role}`}
      verb="Grant"
      statements={[`GRANT ROLE ${sqlName(role)} TO ${kind} ${sqlName(grantee ?? '')}`]}
      problem={grantee === null ? 'Choose who gets it.' : null}
      onClose={onClose}
      onDone={onDone}
    >
      <div className="admin-pair">
        <Select
          label="To a"
          showLabel
          value={kind}
          choices={[
            { id: 'USER', name: 'User' },
            { id: 'ROLE', name: 'Role, which inherits it' },
          ]}
          onChange={(chosen) => {
            setKind(chosen === 'USER' ? 'USER' : 'ROLE');
            setGrantee(null);
          }}
        />
        <Select
          label="Name"
          showLabel
          value={grantee}
          placeholder="Choose"
          choices={names.map((name) => ({ id: name, name }))}
          onChange={setGrantee}
        />
      </div>
    </StatementDialog>
  );
}

const TABLE_PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES'];
const SCHEMA_PRIVILEGES = [
  'USAGE',
  'CREATE TABLE',
  'CREATE VIEW',
  'CREATE STAGE',
  'CREATE FUNCTION',
  'CREATE PROCEDURE',
  'CREATE SEQUENCE',
  'CREATE FILE FORMAT',
  'CREATE SEMANTIC VIEW',
  'MODIFY',
];

/** Kinds with the privileges that they usually have; others can be typed. */
const TARGETS: Record<string, readonly string[]> = {
  DATABASE: ['USAGE', 'CREATE SCHEMA', 'MODIFY', 'MONITOR'],
  SCHEMA: SCHEMA_PRIVILEGES,
  TABLE: TABLE_PRIVILEGES,
  'ALL TABLES IN SCHEMA': TABLE_PRIVILEGES,
  'FUTURE TABLES IN SCHEMA': TABLE_PRIVILEGES,
  VIEW: ['SELECT'],
  'ALL VIEWS IN SCHEMA': ['SELECT'],
  'FUTURE VIEWS IN SCHEMA': ['SELECT'],
  'SEMANTIC VIEW': ['SELECT'],
  STAGE: ['READ', 'WRITE', 'USAGE'],
  FUNCTION: ['USAGE'],
  PROCEDURE: ['USAGE'],
  SEQUENCE: ['USAGE'],
  'FILE FORMAT': ['USAGE'],
  WAREHOUSE: ['USAGE', 'OPERATE', 'MODIFY', 'MONITOR'],
  ACCOUNT: ['CREATE DATABASE', 'CREATE ROLE', 'CREATE USER', 'CREATE WAREHOUSE', 'MANAGE GRANTS'],
};

export function GrantPrivilege({ role, onClose, onDone }: RoleFormProps) {
  const [kind, setKind] = useState('TABLE');
  const [privilege, setPrivilege] = useState('SELECT');
  const [name, setName] = useState('');
  const [mayGrant, setMayGrant] = useState(false);
  const listId = useId();
  const known = TARGETS[kind] ?? [];
  const on = kind === 'ACCOUNT' ? 'ACCOUNT' : `${kind} ${pathOf(name)}`;
  const isPrivilege = /^[A-Za-z][A-Za-z ]*(, *[A-Za-z][A-Za-z ]*)*$/.test(privilege.trim());
  const problem =
    kind !== 'ACCOUNT' && name.trim() === ''
      ? 'Name the object as SQL does: DATABASE.SCHEMA.NAME.'
      : isPrivilege
        ? null
        : 'Say which privilege.';
  return (
    <StatementDialog
      title={`Grant to ${role}`}
      verb="Grant"
      statements={[
        `GRANT ${privilege.trim().toUpperCase()} ON ${on} TO ROLE ${sqlName(role)}` +
          (mayGrant ? ' WITH GRANT OPTION' : ''),
      ]}
      problem={problem}
      onClose={onClose}
      onDone={onDone}
    >
      <div className="admin-pair">
        <Select
          label="On"
          showLabel
          value={kind}
          choices={Object.keys(TARGETS).map((one) => ({ id: one, name: one.toLowerCase() }))}
          onChange={(chosen) => {
            setKind(chosen);
            setPrivilege(TARGETS[chosen]?.[0] ?? '');
          }}
        />
        <label className="field">
          <span className="field-label">Privilege</span>
          <input
            className="field-input"
            list={listId}
            value={privilege}
            onChange={({ target }) => setPrivilege(target.value)}
          />
        </label>
        <datalist id={listId}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      {kind !== 'ACCOUNT' && (
        <TextField
          label="Name"
          mono
          placeholder={/SCHEMA$/.test(kind) ? 'DEMO.PUBLIC' : 'DEMO.PUBLIC.ORDERS'}
          value={name}
          onChange={setName}
          autoFocus
        />
      )}
      <label className="admin-check">
        <input
          type="checkbox"
          checked={mayGrant}
          onChange={({ target }) => setMayGrant(target.checked)}
        />
        May grant it on
      </label>
    </StatementDialog>
  );
}
