import { create } from 'zustand';

/** Whether the list beside the worksheet is shown: as a panel, or over the page in a narrow window. */
export const useSide = create<{ isShown: boolean; isDrawerOpen: boolean }>(() => ({
  isShown: true,
  isDrawerOpen: false,
}));

export function toggleSide(isNarrow: boolean): void {
  useSide.setState((before) =>
    isNarrow ? { isDrawerOpen: !before.isDrawerOpen } : { isShown: !before.isShown },
  );
}
