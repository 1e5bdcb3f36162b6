// The user who is signed in, as every page needs it.
import { create } from 'zustand';
import { messageOf } from './failure';
import { type Identity, whoAmI } from './login';
import { useSession } from './session';
import { forgetStandIns } from './standIn';

interface IdentityState {
  identity: Identity | null;
  error: string | null;
}

export const useIdentity = create<IdentityState>(() => ({ identity: null, error: null }));

// Nothing of one user is taken for another's in the moment after a sign-in.
useSession.subscribe(({ token }, before) => {
  if (token === before.token) return;
  useIdentity.setState({ identity: null, error: null });
  forgetStandIns();
});

/** Asks the server who is signed in. The old answer stays until the new one is there. */
export async function loadIdentity(): Promise<void> {
  const token = useSession.getState().token;
  try {
    const identity = await whoAmI();
    if (useSession.getState().token === token) useIdentity.setState({ identity, error: null });
  } catch (error) {
    useIdentity.setState({ error: messageOf(error) });
  }
}
