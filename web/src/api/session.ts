// Who is signed in. The token lives in sessionStorage and in memory, and nowhere else.
import { create } from 'zustand';

const TOKEN_KEY = 'firn.token';

export interface Session {
  token: string | null;
  /** Set when the server refused a token: the sign-in page says so, or a notice on the page. */
  notice: string | null;
  /** The page was opened with a link, and the server is asked whether it takes its token. */
  isFollowing: boolean;
}

export const useSession = create<Session>(() => ({
  token: sessionStorage.getItem(TOKEN_KEY),
  notice: null,
  isFollowing: false,
}));

export function signIn(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
  useSession.setState({ token, notice: null });
}

/** Forgets the token. What was typed stays in the stores and is there again after the next sign-in. */
export function signOut(notice: string | null = null): void {
  sessionStorage.removeItem(TOKEN_KEY);
  useSession.setState({ token: null, notice });
}
