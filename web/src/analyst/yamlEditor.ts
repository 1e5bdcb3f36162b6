// The editor of semantic models.
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
} from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { ModelProblem } from '../api/semanticModels';
import { announce } from '../components/announce';
import { LOOK } from '../editor/look';
import { TYPE_OVER } from '../editor/typeOver';
import { offsetOf } from './checkYaml';

let tabIndents = false;

export function yamlEditor(
  parent: HTMLElement,
  text: string,
  onChange: (text: string) => void,
): EditorView {
  const state = EditorState.create({
    doc: text,
    extensions: [
      LOOK,
      TYPE_OVER,
      EditorView.contentAttributes.of({ 'aria-label': 'YAML of the model', tabindex: '0' }),
      lineNumbers(),
      foldGutter(),
      lintGutter(),
      highlightActiveLineGutter(),
      history(),
      drawSelection(),
      indentUnit.of('  '),
      bracketMatching(),
      closeBrackets(),
      search({ top: true }),
      yaml(),
      keymap.of([
        { key: 'Tab', run: (view) => tabIndents && indentMore(view) },
        { key: 'Shift-Tab', run: (view) => tabIndents && indentLess(view) },
        { key: 'Ctrl-m', run: toggleTab },
        ...closeBracketsKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...defaultKeymap,
      ]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
  return new EditorView({ parent, state });
}

function toggleTab(): boolean {
  tabIndents = !tabIndents;
  announce(tabIndents ? 'Tab indents.' : 'Tab moves the focus.');
  return true;
}

/** Marks the problems that have a place. */
export function markProblems(view: EditorView, problems: readonly ModelProblem[]): void {
  const text = view.state.doc.toString();
  const diagnostics = problems.flatMap(({ line, column, message, severity }): Diagnostic[] => {
    if (line === null) return [];
    const from = offsetOf(text, line, column ?? 1);
    const word = view.state.wordAt(from);
    const end = word?.to ?? view.state.doc.lineAt(from).to;
    const to = Math.min(Math.max(end, from + 1), text.length);
    return [{ from: Math.min(from, to), to, severity, message }];
  });
  diagnostics.sort((one, other) => one.from - other.from);
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

export function goToPlace(view: EditorView, line: number, column: number): void {
  const anchor = offsetOf(view.state.doc.toString(), line, column);
  view.dispatch({
    selection: { anchor },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  });
  view.focus();
}
