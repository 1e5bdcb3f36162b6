import { type FormEvent, useRef, useState } from 'react';
import { ApiFailure, messageOf } from '../api/failure';
import {
  logInWithPassword,
  logInWithToken,
  PASSWORD_MUST_CHANGE,
  TOKEN_REFUSED,
} from '../api/login';
import { useSession } from '../api/session';
import { Button } from '../components/Button';
import { TextField } from '../components/fields';
import { Tabs } from '../components/Tabs';
import mark from '../shell/firn.svg';
import './SignIn.css';

export function SignIn() {
  const notice = useSession((state) => state.notice);
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <header className="sign-in-head">
          <img src={mark} alt="" width={32} height={32} />
          <h1>Sign in to firn</h1>
        </header>
        {notice && (
          <p className="sign-in-notice" role="status">
            {notice}
          </p>
        )}
        <Tabs
          label="How to sign in"
          tabs={[
            { id: 'token', name: 'Access token', content: <TokenForm /> },
            { id: 'password', name: 'User and password', content: <PasswordForm /> },
          ]}
        />
      </div>
    </main>
  );
}

function TokenForm() {
  const [token, setToken] = useState('');
  const { error, isBusy, attempt } = useAttempt();
  const submit = () => attempt(() => logInWithToken(token.trim()));
  return (
    <form className="sign-in-form" onSubmit={(event) => submitted(event, submit)}>
      <TextField
        label="Token"
        type="password"
        autoComplete="off"
        value={token}
        onChange={setToken}
        error={inWords(error, TOKEN_REFUSED)}
        autoFocus
        mono
        hint="Shown at the first start of the server, or made with ALTER USER … ADD PROGRAMMATIC ACCESS TOKEN."
      />
      <Button look="primary" type="submit" isDisabled={isBusy || token.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
}

function PasswordForm() {
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { error, isBusy, attempt, forget } = useAttempt();
  const isRefusedAsOld = error instanceof ApiFailure && error.code === PASSWORD_MUST_CHANGE;
  const mustChange = newPassword !== '' || isRefusedAsOld;
  const submit = () => attempt(() => logInWithPassword(user.trim(), password, newPassword));
  // What the server demanded was of the user before.
  const changeUser = (name: string) => {
    setUser(name);
    setNewPassword('');
    forget();
  };
  return (
    <form className="sign-in-form" onSubmit={(event) => submitted(event, submit)}>
      <TextField label="User" autoComplete="username" value={user} onChange={changeUser} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={
          isRefusedAsOld
            ? null
            : inWords(error, 'User and password do not match, or the user is locked.')
        }
      />
      {mustChange && (
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={newPassword}
          onChange={setNewPassword}
          hint="This user has to choose a new one before anything else."
        />
      )}
      <Button look="primary" type="submit" isDisabled={isBusy || user === '' || password === ''}>
        {mustChange ? 'Change the password and sign in' : 'Sign in'}
      </Button>
    </form>
  );
}

function submitted(event: FormEvent, submit: () => void): void {
  event.preventDefault();
  submit();
}

function inWords(error: unknown, refused: string): string | null {
  if (error === null) return null;
  return error instanceof ApiFailure && error.status === 401 ? refused : messageOf(error);
}

function useAttempt() {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(0);
  /** Whatever an attempt has met or still meets is no longer of the form's fields. */
  const forget = () => {
    latest.current += 1;
    setError(null);
  };
  const attempt = (work: () => Promise<void>) => {
    setBusy(true);
    forget();
    const own = latest.current;
    work()
      .catch((failure: unknown) => own === latest.current && setError(failure))
      .finally(() => setBusy(false));
  };
  return { error, isBusy, attempt, forget };
}
