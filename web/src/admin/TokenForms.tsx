import { useState } from 'react';
import { type QueryResult, sqlName } from '../api/query';
import { TextField } from '../components/fields';
import { StatementDialog } from './StatementDialog';
import { option, typedName } from './sqlParts';
import { RoleSelect } from './UserForms';
import type { Row } from './useAdminQuery';

export interface NewSecret {
  name: string;
  secret: string;
}

interface TokenFormProps {
  user: string;
  onClose: () => void;
  onDone: () => void;
  onSecret: (secret: NewSecret) => void;
}

const DAYS_MAX = 365;

export function AddToken({ user, onClose, onDone, onSecret }: TokenFormProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('');
  const [days, setDays] = useState('30');
  const [comment, setComment] = useState('');
  const isDays = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= DAYS_MAX;
  const problem =
    name.trim() === ''
      ? 'Name the token.'
      : isDays
        ? null
        : `It is good for 1 to ${DAYS_MAX} days.`;
  return (
    <StatementDialog
      title={`New token of ${user}`}
      verb="Create"
      statements={[
        `ALTER USER ${sqlName(user)} ADD PROGRAMMATIC ACCESS TOKEN ${typedName(name)}` +
          `${option('ROLE_RESTRICTION', role)} DAYS_TO_EXPIRY = ${days}${option('COMMENT', comment)}`,
      ]}
      problem={problem}
      onClose={onClose}
      onDone={(result) => {
        onDone();
        onSecret(secretOf(result));
      }}
    >
      <div className="admin-pair">
        <TextField label="Name" value={name} onChange={setName} autoFocus />
        <TextField label="Days" inputMode="numeric" value={days} onChange={setDays} />
      </div>
      <div className="admin-pair">
        <RoleSelect label="Only as role" value={role} onChange={setRole} />
        <TextField label="Comment" value={comment} onChange={setComment} />
      </div>
    </StatementDialog>
  );
}

function secretOf({ columns, rows }: QueryResult): NewSecret {
  const at = (name: string) => columns.findIndex((column) => column.toLowerCase() === name);
  const row = rows[0] ?? [];
  return { name: row[at('token_name')] ?? '', secret: row[at('token_secret')] ?? '' };
}

interface KnownTokenProps extends TokenFormProps {
  token: Row;
}

function tokenStatement(user: string, verb: string, token: Row): string {
  return `ALTER USER ${sqlName(user)} ${verb} PROGRAMMATIC ACCESS TOKEN ${sqlName(token.name ?? '')}`;
}

export function RotateToken({ user, token, onClose, onDone, onSecret }: KnownTokenProps) {
  return (
    <StatementDialog
      title={`Rotate ${token.name}?`}
      verb="Rotate"
      statements={[tokenStatement(user, 'ROTATE', token)]}
      onClose={onClose}
      onDone={(result) => {
        onDone();
        onSecret(secretOf(result));
      }}
    >
      <p>A new secret takes its place. The old one is good for another day.</p>
    </StatementDialog>
  );
}

export function SwitchToken({ user, token, onClose, onDone }: KnownTokenProps) {
  const isOff = token.status === 'DISABLED';
  return (
    <StatementDialog
      title={`${isOff ? 'Enable' : 'Disable'} ${token.name}?`}
      verb={isOff ? 'Enable' : 'Disable'}
      isDangerous={!isOff}
      statements={[
        `${tokenStatement(user, 'MODIFY', token)} SET DISABLED = ${isOff ? 'FALSE' : 'TRUE'}`,
      ]}
      onClose={onClose}
      onDone={onDone}
    />
  );
}

export function RemoveToken({ user, token, onClose, onDone }: KnownTokenProps) {
  return (
    <StatementDialog
      title={`Remove ${token.name}?`}
      verb="Remove"
      isDangerous
      statements={[tokenStatement(user, 'REMOVE', token)]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>What uses it is refused at once. It cannot be brought back.</p>
    </StatementDialog>
  );
}
