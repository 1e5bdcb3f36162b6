import { useState } from 'react';
import { sqlName, sqlText } from '../api/query';
import { TextField } from '../components/fields';
import { Select } from '../components/Select';
import { StatementDialog } from './StatementDialog';
import { option, SECRET_SHOWN, typedName } from './sqlParts';
import { type Row, useAdminQuery } from './useAdminQuery';

export interface UserFormProps {
  user: Row;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

const NO_ROLE = '';

interface NewUser {
  name: string;
  kind: string;
  password: string;
  mustChange: boolean;
  role: string;
  warehouse: string;
  email: string;
  comment: string;
}

/** Creates a user and grants the first role. */
export function CreateUser({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [user, setUser] = useState<NewUser>({
    name: '',
    kind: 'PERSON',
    password: '',
    mustChange: true,
    role: NO_ROLE,
    warehouse: '',
    email: '',
    comment: '',
  });
  const change = (changes: Partial<NewUser>) => setUser({ ...user, ...changes });
  const isPerson = user.kind === 'PERSON';
  const statements = (password: string) => createStatements(user, password);
  return (
    <StatementDialog
      title="New user"
      verb="Create"
      statements={statements(user.password)}
      shownStatements={statements(user.password === '' ? '' : SECRET_SHOWN)}
      problem={user.name.trim() === '' ? 'Name the user.' : null}
      onClose={onClose}
      onDone={onDone}
    >
      <div className="admin-pair">
        <TextField label="Name" value={user.name} onChange={(name) => change({ name })} autoFocus />
        <Select
          label="Kind"
          showLabel
          value={user.kind}
          choices={[
            { id: 'PERSON', name: 'Person' },
            { id: 'SERVICE', name: 'Service, no password' },
          ]}
          onChange={(kind) => change({ kind, password: '' })}
        />
      </div>
      {isPerson && (
        <>
          <TextField
            label="Password"
            type="password"
            autoComplete="new-password"
            hint="Without one, access tokens let the user in."
            value={user.password}
            onChange={(password) => change({ password })}
          />
          <label className="admin-check">
            <input
              type="checkbox"
              checked={user.mustChange}
              onChange={({ target }) => change({ mustChange: target.checked })}
            />
            Must change it when first signing in
          </label>
        </>
      )}
      <div className="admin-pair">
        <RoleSelect label="First role" value={user.role} onChange={(role) => change({ role })} />
        <WarehouseSelect value={user.warehouse} onChange={(warehouse) => change({ warehouse })} />
      </div>
      <div className="admin-pair">
        <TextField label="E-mail" value={user.email} onChange={(email) => change({ email })} />
        <TextField
          label="Comment"
          value={user.comment}
          onChange={(comment) => change({ comment })}
        />
      </div>
    </StatementDialog>
  );
}

function createStatements(user: NewUser, password: string): string[] {
  const name = typedName(user.name);
  const secret =
    password === ''
      ? ''
      : ` PASSWORD = ${sqlText(password)}${user.mustChange ? ' MUST_CHANGE_PASSWORD = TRUE' : ''}`;
  const kind = user.kind === 'PERSON' ? '' : ` TYPE = ${user.kind}`;
  const create =
    `CREATE USER ${name}${kind}${secret}${option('DEFAULT_ROLE', user.role)}` +
    `${option('DEFAULT_WAREHOUSE', user.warehouse)}${option('EMAIL', user.email)}${option('COMMENT', user.comment)}`;
  return user.role === NO_ROLE
    ? [create]
    : [create, `GRANT ROLE ${sqlName(user.role)} TO USER ${name}`];
}

/** Changes what differs from what the user has. */
export function EditUser({ user, name, onClose, onDone }: UserFormProps) {
  const [role, setRole] = useState(user.default_role ?? '');
  const [warehouse, setWarehouse] = useState(user.default_warehouse ?? '');
  const [email, setEmail] = useState(user.email ?? '');
  const [comment, setComment] = useState(user.comment ?? '');
  const changed: string[] = [];
  const compare = (property: string, before: string | null | undefined, now: string) => {
    if ((before ?? '') !== now.trim()) changed.push(`${property} = ${sqlText(now.trim())}`);
  };
  compare('DEFAULT_ROLE', user.default_role, role);
  compare('DEFAULT_WAREHOUSE', user.default_warehouse, warehouse);
  compare('EMAIL', user.email, email);
  compare('COMMENT', user.comment, comment);
  return (
    <StatementDialog
      title={`Change ${name}`}
      verb="Change"
      statements={[`ALTER USER ${sqlName(name)} SET ${changed.join(' ')}`]}
      problem={changed.length === 0 ? 'Nothing is changed yet.' : null}
      onClose={onClose}
      onDone={onDone}
    >
      <div className="admin-pair">
        <RoleSelect label="Default role" value={role} onChange={setRole} />
        <WarehouseSelect value={warehouse} onChange={setWarehouse} />
      </div>
      <div className="admin-pair">
        <TextField label="E-mail" value={email} onChange={setEmail} />
        <TextField label="Comment" value={comment} onChange={setComment} />
      </div>
    </StatementDialog>
  );
}

interface NameSelectProps {
  value: string;
  onChange: (name: string) => void;
}

export function RoleSelect({ label, ...props }: NameSelectProps & { label: string }) {
  const { value: roles } = useAdminQuery('SHOW ROLES');
  return <NameSelect label={label} names={roles} {...props} />;
}

function WarehouseSelect(props: NameSelectProps) {
  const { value: warehouses } = useAdminQuery('SHOW WAREHOUSES');
  return <NameSelect label="Default warehouse" names={warehouses} {...props} />;
}

function NameSelect(props: NameSelectProps & { label: string; names: Row[] | undefined }) {
  const { label, names, value, onChange } = props;
  const known = (names ?? []).map(({ name }) => name ?? '');
  const all = value === '' || known.includes(value) ? known : [value, ...known];
  const NONE = '\u0000';
  return (
    <Select
      label={label}
      showLabel
      value={value === '' ? NONE : value}
      choices={[{ id: NONE, name: 'None' }, ...all.map((name) => ({ id: name, name }))]}
      onChange={(name) => onChange(name === NONE ? '' : name)}
    />
  );
}
