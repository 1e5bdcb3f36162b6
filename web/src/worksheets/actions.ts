// What the keys, buttons and the palette do with the worksheet that is shown.
import { messageOf } from '../api/failure';
import { cancelInSession, closeSession } from '../api/keptSessions';
import { announce } from '../components/announce';
import { notify } from '../components/notices';
import { saveFile } from '../components/saveFile';
import { replaceText } from '../editor/sqlEditor';
import { splitStatements } from '../sql/split';
import { keptStates, shownView, useShownEditor } from './editorStates';
import { runHere, statementsToRun } from './run/runHere';
import { cancelRun } from './run/runScript';
import { saveNow } from './saving';
import { removeStored } from './serverCopies';
import { refreshList } from './storedList';
import {
  activate,
  activeWorksheet,
  addWorksheet,
  closeWorksheet,
  forget,
  freeName,
  useWorksheets,
  worksheetOf,
} from './worksheetStore';

export function runAtCursor(): void {
  const worksheet = activeWorksheet();
  if (worksheet === null) return;
  const { selection } = useShownEditor.getState();
  void runHere(worksheet.id, statementsToRun(worksheet.text, selection));
}

export function runAll(): void {
  const worksheet = activeWorksheet();
  if (worksheet) void runHere(worksheet.id, splitStatements(worksheet.text));
}

export function cancelHere(): void {
  const worksheet = activeWorksheet();
  if (!worksheet) return;
  cancelRun(worksheet.id).catch((error: unknown) => notify(`Not cancelled: ${messageOf(error)}`));
}

/** Formats the selection, else the whole text. The formatter is loaded when it is first wanted. */
export async function formatShown(): Promise<void> {
  const view = shownView();
  if (view === null) return;
  const { format } = await import('../sql/format');
  const { from, to } = view.state.selection.main;
  try {
    if (from === to) replaceText(view, format(view.state.doc.toString()));
    else {
      const insert = format(view.state.sliceDoc(from, to));
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from, head: from + insert.length },
      });
    }
    announce('Formatted.');
  } catch {
    notify('The formatter cannot read this text; it is unchanged.');
  }
}

/** Stops what still runs in the worksheet's session though no run of the page waits for it. */
export async function cancelEarlier(worksheetId: string): Promise<void> {
  try {
    const isFound = await cancelInSession(worksheetId);
    notify(isFound ? 'Cancelled.' : 'Which statement it is cannot be told. The history has it.');
  } catch (error) {
    notify(`Not cancelled: ${messageOf(error)}`);
  }
}

/** As soon as it is there. */
function focusShownEditor(): void {
  setTimeout(() => shownView()?.focus(), 50);
}

export function newWorksheet(): void {
  addWorksheet({});
  focusShownEditor();
}

export function duplicateHere(): void {
  const worksheet = activeWorksheet();
  if (worksheet === null) return;
  const { name, text, context } = worksheet;
  addWorksheet({ name: freeName(name), text, context });
}

export function downloadText(): void {
  const worksheet = activeWorksheet();
  if (worksheet)
    saveFile(`${worksheet.name}.sql`, new Blob([worksheet.text], { type: 'text/plain' }));
}

/** Closes the tab once the server has what it holds. */
export async function closeHere(id: string): Promise<void> {
  await saveNow(id);
  const worksheet = worksheetOf(id);
  if (worksheet === null || worksheet.saving === 'saved') {
    closeAnyway(id);
    return;
  }
  notify(`“${worksheet.name}” stays open: the server does not have it yet.`, {
    name: 'Close and lose it',
    run: () => closeAnyway(id),
  });
}

function closeAnyway(id: string): void {
  closeWorksheet(id);
  keptStates.delete(id);
  forget(id);
  void closeSession(id);
  void refreshList();
}

export async function deleteWorksheet(id: string): Promise<void> {
  const worksheet = worksheetOf(id);
  if (worksheet === null) return;
  closeWorksheet(id);
  forget(id);
  void closeSession(id);
  if (worksheet.stored) await removeStored(worksheet.stored.name);
  void refreshList();
  const { name, text, context } = worksheet;
  notify(`“${name}” is deleted.`, {
    name: 'Undo',
    run: () => addWorksheet({ name: freeName(name), text, context }),
  });
}

export function goToTab(index: number): void {
  const worksheet = useWorksheets.getState().open[index];
  if (!worksheet) return;
  activate(worksheet.id);
  // The editor that had the focus goes away.
  focusShownEditor();
}

export function saveHere(): void {
  const worksheet = activeWorksheet();
  if (worksheet === null) return;
  void saveNow(worksheet.id).then(() => {
    const after = worksheetOf(worksheet.id);
    if (after?.saving === 'saved') notify(`“${after.name}” is saved; it is saved as you type.`);
    else notify(after?.saveError ?? 'Not saved yet.');
  });
}
