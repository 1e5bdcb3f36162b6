import { create } from 'zustand';
import { useIdentity } from '../api/identity';

const ROLE_KEY = 'firn.role';

const useChosen = create<{ role: string | null }>(() => ({ role: localStorage.getItem(ROLE_KEY) }));

/** The role that pages ask with: the chosen one while the user holds it, else the default. */
export function useRole(): string | null {
  const chosen = useChosen((state) => state.role);
  const identity = useIdentity((state) => state.identity);
  return roleOf(chosen, identity);
}

export function currentRole(): string | null {
  return roleOf(useChosen.getState().role, useIdentity.getState().identity);
}

function roleOf(chosen: string | null, identity: { role: string; roles: string[] } | null) {
  if (identity === null) return null;
  return chosen !== null && identity.roles.includes(chosen) ? chosen : identity.role;
}

export function chooseRole(role: string): void {
  localStorage.setItem(ROLE_KEY, role);
  useChosen.setState({ role });
}
