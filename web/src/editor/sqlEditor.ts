// The editor of worksheets. Each worksheet keeps its state (text, cursor, undo) while another is shown.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  toggleComment,
} from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import { bracketMatching, indentUnit } from '@codemirror/language';
import {
  highlightSelectionMatches,
  search,
  searchKeymap,
  selectNextOccurrence,
} from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  rectangularSelection,
} from '@codemirror/view';
import type { StatementContext } from '../api/statements';
import { announce } from '../components/announce';
import { FIRN } from '../sql/dialect';
import { completeSql } from './completion';
import { LOOK } from './look';
import { STATEMENT_GUTTER } from './statementGutter';
import { TYPE_OVER } from './typeOver';

export interface SqlEditorHooks {
  label: string;
  onChange: (text: string) => void;
  onSelect: (selection: { from: number; to: number }) => void;
  /** Keys of the page that the editor would take otherwise. */
  onRun: () => void;
  onRunAll: () => void;
  onFormat: () => void;
  context: () => StatementContext;
}

const label = new Compartment();
let tabIndents = false;

export function sqlState(text: string, hooks: SqlEditorHooks): EditorState {
  return EditorState.create({ doc: text, extensions: extensions(hooks) });
}

function extensions(hooks: SqlEditorHooks): Extension {
  return [
    LOOK,
    TYPE_OVER,
    label.of(labelled(hooks.label)),
    lineNumbers(),
    STATEMENT_GUTTER,
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    rectangularSelection(),
    EditorState.allowMultipleSelections.of(true),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    sql({ dialect: FIRN, upperCaseKeywords: true }),
    autocompletion({ override: [completeSql(hooks.context)], maxRenderedOptions: 60 }),
    placeholder('Write SQL. Ctrl+Enter runs the statement at the cursor.'),
    Prec.highest(keymap.of(pageKeys(hooks))),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) hooks.onChange(update.state.doc.toString());
      if (update.docChanged || update.selectionSet) {
        const { from, to } = update.state.selection.main;
        hooks.onSelect({ from, to });
      }
    }),
  ];
}

function labelled(name: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' });
}

/** The name that the editor has for those who do not see it. */
export function labelEditor(view: EditorView, name: string): void {
  view.dispatch({ effects: label.reconfigure(labelled(name)) });
}

function pageKeys(hooks: SqlEditorHooks) {
  const run = (act: () => void) => (view: EditorView) => {
    closeCompletion(view);
    act();
    return true;
  };
  return [
    { key: 'Mod-Enter', run: run(hooks.onRun) },
    { key: 'Mod-Shift-Enter', run: run(hooks.onRunAll) },
    { key: 'Shift-Alt-f', run: run(hooks.onFormat) },
    { key: 'Mod-/', run: toggleComment },
    { key: 'Mod-d', run: selectNextOccurrence, preventDefault: true },
    { key: 'Tab', run: tab, shift: (view: EditorView) => tabIndents && indentLess(view) },
    { key: 'Ctrl-m', run: toggleTab },
  ];
}

function tab(view: EditorView): boolean {
  if (completionStatus(view.state) === 'active') return acceptCompletion(view);
  return tabIndents && indentMore(view);
}

function toggleTab(): boolean {
  tabIndents = !tabIndents;
  announce(tabIndents ? 'Tab indents.' : 'Tab moves the focus.');
  return true;
}

export function goTo(view: EditorView, offset: number): void {
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({
    selection: { anchor },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  });
  view.focus();
}

export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
