import { useState } from 'react';
import { sqlName, sqlText } from '../api/query';
import { TextField } from '../components/fields';
import { StatementDialog } from './StatementDialog';
import { SECRET_SHOWN } from './sqlParts';
import type { UserFormProps } from './UserForms';

export function ResetPassword({ name, onClose, onDone }: UserFormProps) {
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(true);
  const statement = (shown: string) =>
    `ALTER USER ${sqlName(name)} SET PASSWORD = ${sqlText(shown)} ` +
    `MUST_CHANGE_PASSWORD = ${mustChange ? 'TRUE' : 'FALSE'}`;
  return (
    <StatementDialog
      title={`Password of ${name}`}
      verb="Reset"
      statements={[statement(password)]}
      shownStatements={[statement(SECRET_SHOWN)]}
      problem={password.trim().length < 8 ? 'A password has at least 8 characters.' : null}
      onClose={onClose}
      onDone={onDone}
    >
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="All sessions of the user end. Tokens and keys stay good."
        value={password}
        onChange={setPassword}
        autoFocus
      />
      <label className="admin-check">
        <input
          type="checkbox"
          checked={mustChange}
          onChange={({ target }) => setMustChange(target.checked)}
        />
        Must change it when next signing in
      </label>
    </StatementDialog>
  );
}

export function SwitchUser({ user, name, onClose, onDone }: UserFormProps) {
  const isOff = user.disabled === 'true';
  return (
    <StatementDialog
      title={isOff ? `Enable ${name}?` : `Disable ${name}?`}
      verb={isOff ? 'Enable' : 'Disable'}
      isDangerous={!isOff}
      statements={[`ALTER USER ${sqlName(name)} SET DISABLED = ${isOff ? 'FALSE' : 'TRUE'}`]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        {isOff
          ? 'Tokens, keys and the password are good again. Ended sessions stay ended.'
          : 'Tokens and sessions are refused at once, and running statements are cancelled.'}
      </p>
    </StatementDialog>
  );
}

export function UnlockUser({ name, onClose, onDone }: UserFormProps) {
  return (
    <StatementDialog
      title={`Unlock ${name}?`}
      verb="Unlock"
      statements={[`ALTER USER ${sqlName(name)} SET MINS_TO_UNLOCK = 0`]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>Five wrong passwords in a row lock the password for 15 minutes. This ends the lock.</p>
    </StatementDialog>
  );
}

export function DropUser({ name, onClose, onDone }: UserFormProps) {
  return (
    <StatementDialog
      title={`Drop ${name}?`}
      verb="Drop"
      isDangerous
      statements={[`DROP USER ${sqlName(name)}`]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>The user and the user's tokens are gone. Disabling keeps them.</p>
    </StatementDialog>
  );
}
