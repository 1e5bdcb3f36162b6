// Who is signed in. The token lives in sessionStorage and in memory, and nowhere else.
import { create } from 'zustand';

const TOKEN_KEY = 'firn.token';

export interface Session {
  token: string | null;
  /** Set when the server refused the token: the sign-in page says so. */
  notice: string | null;
}

export const useSession = create<Session>(() => ({ token: tokenAtStart(), notice: null }));

export function signIn(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
  useSession.setState({ token, notice: null });
}

/** Forgets the token. What was typed stays in the stores and is there again after the next sign-in. */
export function signOut(notice: string | null = null): void {
  sessionStorage.removeItem(TOKEN_KEY);
  useSession.setState({ token: null, notice });
}

/** The link that the server prints has the token in its fragment, which no server ever sees. */
function tokenAtStart(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return sessionStorage.getItem(TOKEN_KEY);
  history.replaceState(null, '', location.pathname + location.search);
  sessionStorage.setItem(TOKEN_KEY, given);
  return given;
}
