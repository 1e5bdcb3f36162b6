import type { KeyboardEvent } from 'react';
import { type GridHeaderProps, headerKey } from './GridHeader';
import {
  type GridSize,
  HEADER_ROW,
  moveSelection,
  type Selection,
  startSelection,
} from './selection';

export interface GridKeys {
  selection: Selection;
  isSingle: boolean;
  size: GridSize;
  /** Of the active column. */
  width: number;
  header: Pick<GridHeaderProps, 'onOpenPanel' | 'onResize' | 'onFit'>;
  select(selection: Selection): void;
  /** Selects and scrolls there. */
  show(selection: Selection): void;
  open(): void;
}

export function gridKeys(keys: GridKeys) {
  return (event: KeyboardEvent): void => {
    const { active } = keys.selection;
    if (active.row === HEADER_ROW && headerKey(event, active.column, keys.width, keys.header)) {
      event.preventDefault();
      return;
    }
    const isPlain = !event.ctrlKey && !event.metaKey;
    if (event.key === 'Enter' && isPlain && active.row >= 0) keys.open();
    else if (event.key === 'Escape' && !keys.isSingle) {
      keys.select(startSelection(active));
      // What Escape means elsewhere, as cancelling a statement, is not meant here.
      event.stopPropagation();
    } else {
      const next = moveSelection(keys.selection, event, keys.size);
      if (!next) return;
      const isWhole = event.key.toLowerCase() === 'a' || event.key === ' ';
      (isWhole ? keys.select : keys.show)(next);
    }
    event.preventDefault();
  };
}
