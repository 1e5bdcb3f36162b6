import { useSyncExternalStore } from 'react';

const coarse = () => window.matchMedia('(pointer: coarse)');

function subscribe(listener: () => void): () => void {
  const query = coarse();
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Taller where fingers point. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => (coarse().matches ? 32 : 26));
}
