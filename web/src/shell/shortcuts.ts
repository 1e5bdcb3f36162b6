import { useEffect, useRef } from 'react';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** Names of keys as people of this machine write them. */
export function shownKeys(keys: string): string {
  return keys
    .replaceAll('Mod', IS_MAC ? '⌘' : 'Ctrl')
    .replaceAll('Alt', IS_MAC ? '⌥' : 'Alt')
    .replaceAll('Enter', '↵');
}

/** `Mod+Shift+Enter`, `Alt+T`, `F6`: Mod is Cmd on a Mac and Ctrl elsewhere. */
function keysOf(event: KeyboardEvent): string {
  const parts: string[] = [];
  if (IS_MAC ? event.metaKey : event.ctrlKey) parts.push('Mod');
  if (event.altKey) parts.push('Alt');
  if (event.shiftKey) parts.push('Shift');
  parts.push(nameOf(event));
  return parts.join('+');
}

/** By the place of the key where Alt would change the letter. */
function nameOf(event: KeyboardEvent): string {
  const letter = /^(?:Key|Digit)(.)$/.exec(event.code)?.[1];
  if (event.altKey && letter) return letter;
  return event.key.length === 1 ? event.key.toUpperCase() : event.key;
}

export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/**
 * Listens while the component is there. What the editor or a dialogue has taken itself is left
 * alone; a key that is bound here does not do what it does in the browser.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const act = newest.current[keysOf(event)];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

/** Whether keys without Ctrl or Alt belong to what has the focus. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

export function isDialogOpen(): boolean {
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;
}
