// The editor's states of worksheets that are open but not shown, and the view of the one that is.
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { create } from 'zustand';

export const keptStates = new Map<string, EditorState>();

interface Shown {
  view: EditorView | null;
  /** Changes with every move of the cursor; the label of the Run button follows it. */
  selection: { from: number; to: number };
}

export const useShownEditor = create<Shown>(() => ({ view: null, selection: { from: 0, to: 0 } }));

export function shownView(): EditorView | null {
  return useShownEditor.getState().view;
}
