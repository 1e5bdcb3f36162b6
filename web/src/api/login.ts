import { ApiFailure, failureOf } from './failure';
import { send } from './http';
import { closeAllSessions } from './keptSessions';
import { runQuery } from './query';
import { signIn, signOut, useSession } from './session';
import { standInOf } from './standIn';
import { findWarehouse } from './statements';

/** Exchanges a password for the token of a session, and signs in with it. */
export async function logInWithPassword(
  user: string,
  password: string,
  newPassword?: string,
): Promise<void> {
  const response = await fetch('/api/v2/login', {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify({ user, password, ...(newPassword ? { newPassword } : {}) }),
    credentials: 'omit',
  }).catch(() => {
    throw new ApiFailure(0, { message: 'The server cannot be reached.' });
  });
  if (!response.ok) throw await failureOf(response);
  const { token } = (await response.json()) as { token: string };
  signIn(token);
}

/** The server said that the password must be changed before anything else. */
export const PASSWORD_MUST_CHANGE = '390106';

export const TOKEN_REFUSED = 'The server does not take this token.';

/** Signs in if the server takes the token. */
export async function logInWithToken(token: string): Promise<void> {
  // No header takes other characters, and no token has them.
  if (!/^[!-~]+$/.test(token)) throw new ApiFailure(401, { message: TOKEN_REFUSED });
  const response = await fetch('/api/v2/statements', {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      'X-Firn-Client-Generated': 'true',
    },
    body: JSON.stringify({ statement: 'SELECT CURRENT_USER()' }),
    credentials: 'omit',
  }).catch(() => {
    throw new ApiFailure(0, { message: 'The server cannot be reached.' });
  });
  // 422: the token is good, whatever the statement met.
  if (!response.ok && response.status !== 422) throw await failureOf(response);
  // A response that nobody reads stays open in the browser.
  await response.body?.cancel();
  signIn(token);
}

/** What the tokens of password sessions begin with. The server refuses to end others. */
const SESSION_TOKEN_PREFIX = 'firn_session_';

/** Ends the session of a password; other tokens are only forgotten here. What worksheets kept is closed. */
export async function logOut(): Promise<void> {
  await closeAllSessions();
  if (useSession.getState().token?.startsWith(SESSION_TOKEN_PREFIX)) {
    await send('/api/v2/logout', { method: 'POST' }).catch(() => undefined);
  }
  signOut();
}

export interface Identity {
  user: string;
  role: string;
  roles: string[];
  warehouse: string | null;
  database: string | null;
  schema: string | null;
  version: string;
}

export async function whoAmI(): Promise<Identity> {
  const result = await runQuery(
    'SELECT CURRENT_USER(), CURRENT_ROLE(), CURRENT_AVAILABLE_ROLES(), CURRENT_WAREHOUSE(), ' +
      "CURRENT_DATABASE(), CURRENT_SCHEMA(), SPLIT_PART(CURRENT_VERSION(), ' firn-', -1)",
  );
  const [user, role, roles, own, database, schema, version] = result.rows[0] ?? [];
  const warehouse = own ?? standInOf(null) ?? (await findWarehouse(role));
  return {
    user: user ?? '',
    role: role ?? '',
    roles: JSON.parse(roles ?? '[]') as string[],
    warehouse,
    database: database ?? null,
    schema: schema ?? null,
    version: version ?? '',
  };
}
