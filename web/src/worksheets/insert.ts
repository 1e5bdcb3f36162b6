import { shownView } from './editorStates';

/** Writes a text at the cursor, in the place of what is selected. */
export function insertInEditor(text: string): void {
  const view = shownView();
  if (view === null) return;
  view.dispatch(view.state.replaceSelection(text));
  view.focus();
}

/** Writes a statement below the others and puts the cursor into it. */
export function appendStatement(statement: string): void {
  const view = shownView();
  if (view === null) return;
  const { doc } = view.state;
  const before = doc.toString().trimEnd();
  const gap = before === '' ? '' : before.endsWith(';') ? '\n\n' : ';\n\n';
  view.dispatch({
    changes: { from: before.length, to: doc.length, insert: `${gap}${statement}` },
    selection: { anchor: before.length + gap.length + statement.length },
    scrollIntoView: true,
  });
  view.focus();
}
