import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { markError } from '../editor/errorMarks';
import { goTo, labelEditor, replaceText, sqlState } from '../editor/sqlEditor';
import './Editor.css';
import { formatShown, runAll, runAtCursor } from './actions';
import { keptStates, useShownEditor } from './editorStates';
import { errorNow } from './run/placeNow';
import type { Run } from './run/run';
import type { Worksheet } from './worksheet';
import { changeWorksheet, worksheetOf } from './worksheetStore';

export function Editor({ worksheet, run }: { worksheet: Worksheet; run: Run | null }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView | null>(null);
  const { id, name, text } = worksheet;

  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({ parent: place.current, state: stateFor(id) });
    shown.current = view;
    const { from, to } = view.state.selection.main;
    useShownEditor.setState({ view, selection: { from, to } });
    return () => {
      keptStates.set(id, view.state);
      useShownEditor.setState({ view: null });
      shown.current = null;
      view.destroy();
    };
  }, [id]);

  // The worksheet was renamed, here or while another was shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another worksheet has another editor
  useEffect(() => {
    if (shown.current) labelEditor(shown.current, labelOf(name));
  }, [id, name]);

  // The server's text was taken, or another page wrote.
  useEffect(() => {
    if (shown.current) replaceText(shown.current, text);
  }, [text]);

  const outcome = run?.outcomes[run.selected];
  const offset = errorNow(text, outcome);
  const message = outcome?.error?.message ?? '';
  useEffect(() => {
    const view = shown.current;
    if (!view) return;
    void markError(view, offset === null ? null : { offset, message });
  }, [offset, message]);

  return <div className="worksheet-editor" ref={place} data-part="editor" />;
}

const labelOf = (name: string) => `SQL of ${name}`;

function stateFor(id: string) {
  const worksheet = worksheetOf(id);
  const kept = keptStates.get(id);
  if (kept && kept.doc.toString() === worksheet?.text) return kept;
  return sqlState(worksheet?.text ?? '', {
    label: labelOf(worksheet?.name ?? 'worksheet'),
    onChange: (text) => changeWorksheet(id, { text, saving: 'waiting' }),
    onSelect: (selection) => useShownEditor.setState({ selection }),
    onRun: runAtCursor,
    onRunAll: runAll,
    onFormat: () => void formatShown(),
    context: () => worksheetOf(id)?.context ?? {},
  });
}

export function goToInEditor(offset: number): void {
  const { view } = useShownEditor.getState();
  if (view) goTo(view, offset);
}
