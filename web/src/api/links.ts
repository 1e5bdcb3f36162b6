// Links that sign in: the server prints one with the token in its fragment, which no server ever sees.
import { ApiFailure, messageOf } from './failure';
import { logInWithToken, TOKEN_REFUSED } from './login';
import { signIn, useSession } from './session';

/** Signs in with the token of a link if the server takes it; else everything stays as it was, and a notice says why. */
export async function followLink(): Promise<void> {
  const token = takeToken();
  if (token === null) return;
  const isShown = useSession.getState().token !== null && !useSession.getState().isFollowing;
  try {
    await logInWithToken(token);
    // What is shown is another user's, maybe.
    if (isShown) location.reload();
  } catch (error) {
    const isRefused = error instanceof ApiFailure && error.status === 401;
    // The token may be good: the page says what failed, and tries again.
    if (!isRefused && useSession.getState().token === null) return signIn(token);
    useSession.setState({ notice: isRefused ? TOKEN_REFUSED : messageOf(error) });
  }
}

/** As the page begins: nothing is shown until it is known whose it is. */
export async function followLinks(): Promise<void> {
  // A link that is opened in a page that is there already changes its fragment alone.
  window.addEventListener('hashchange', () => void followLink());
  useSession.setState({ isFollowing: true });
  await followLink();
  useSession.setState({ isFollowing: false });
}

/** Takes the token out of the address, which nobody shall see or keep. */
function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) history.replaceState(null, '', location.pathname + location.search);
  return given;
}
