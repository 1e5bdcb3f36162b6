import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 699.9px)');
const touch = matchMedia('(pointer: coarse)');

/** Whether the window is as narrow as a phone's. */
export function useIsNarrow(): boolean {
  return useMatches(narrow);
}

/** The height of rows in `theme.css`, for lists that draw only what is in sight. */
export function useListRowHeight(): number {
  return useMatches(touch) ? 32 : 26;
}

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => query.matches,
  );
}
