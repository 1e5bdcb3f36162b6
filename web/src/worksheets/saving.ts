// Keeps worksheets on the server: a second after typing ends, and never over somebody else's text.
import { messageOf } from '../api/failure';
import { useIdentity } from '../api/identity';
import { readStored, removeStored, writeStored } from './serverCopies';
import { contentOf, parseContent, type Stored, type Worksheet } from './worksheet';
import { changeWorksheet, freeName, noteName, useWorksheets, worksheetOf } from './worksheetStore';

const QUIET_MS = 1000;
const RETRY_MS = 10_000;

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const inFlight = new Map<string, Promise<void>>();

/** Saves once nothing has changed for a second. */
export function saveSoon(id: string, delayMs = QUIET_MS): void {
  clearTimeout(timers.get(id));
  timers.set(
    id,
    setTimeout(() => void saveNow(id), delayMs),
  );
}

/** Follows every change of the open worksheets. Returns how to stop. */
export function startSaving(): () => void {
  for (const { id } of useWorksheets.getState().open) saveSoon(id, 50);
  return useWorksheets.subscribe(({ open }, before) => {
    if (open === before.open) return;
    for (const worksheet of open) {
      const old = before.open.find(({ id }) => id === worksheet.id);
      if (old === undefined || isChanged(worksheet, old)) saveSoon(worksheet.id);
    }
  });
}

function isChanged(worksheet: Worksheet, before: Worksheet): boolean {
  return (
    worksheet.text !== before.text ||
    worksheet.name !== before.name ||
    worksheet.context !== before.context
  );
}

export async function saveNow(id: string): Promise<void> {
  clearTimeout(timers.get(id));
  await inFlight.get(id);
  const saving = save(id).finally(() => inFlight.delete(id));
  inFlight.set(id, saving);
  await saving;
}

async function save(id: string): Promise<void> {
  const worksheet = worksheetOf(id);
  if (worksheet === null || worksheet.conflict !== null) return;
  const { user } = useWorksheets.getState();
  if (user === null || useIdentity.getState().identity?.user !== user) return;
  const content = contentOf(worksheet);
  const { stored, name } = worksheet;
  const isSame = stored?.name === name && stored.content === content;
  if (isSame || (stored === null && worksheet.text.trim() === '')) {
    if (worksheet.saving !== 'saved') changeWorksheet(id, { saving: 'saved', saveError: null });
    return;
  }
  changeWorksheet(id, { saving: 'saving' });
  try {
    await write(id, name, content, stored);
  } catch (error) {
    changeWorksheet(id, { saving: 'failed', saveError: messageOf(error) });
    saveSoon(id, RETRY_MS);
  }
}

async function write(
  id: string,
  name: string,
  content: string,
  stored: Stored | null,
): Promise<void> {
  const isRenamed = stored !== null && stored.name !== name;
  const isNew = stored === null || isRenamed;
  const written = await writeStored(name, content, isNew ? 'absent' : { matches: stored.etag });
  if (written !== null) {
    if (isRenamed) await removeStored(stored.name);
    changeWorksheet(id, { stored: written, saving: 'saved', saveError: null });
    return;
  }
  const theirs = await readStored(name);
  if (theirs?.content === content) {
    changeWorksheet(id, { stored: theirs, saving: 'saved', saveError: null });
  } else if (theirs === null) {
    // It was deleted elsewhere: what is typed here is the only text.
    changeWorksheet(id, { stored: null, saving: 'waiting' });
    saveSoon(id);
  } else if (isNew) {
    // The name is taken by another worksheet, which stays as it is.
    noteName(name);
    changeWorksheet(id, { name: freeName(name), saving: 'waiting' });
  } else if (parseContent(theirs.content).text === parseContent(content).text) {
    // Only the pickers differ: those of here are the newer ones.
    changeWorksheet(id, { stored: theirs, saving: 'waiting' });
    saveSoon(id, 0);
  } else changeWorksheet(id, { conflict: theirs, saving: 'waiting' });
}

/** The answer to a conflict: this text, or theirs. */
export function keepMine(worksheet: Worksheet): void {
  changeWorksheet(worksheet.id, { stored: worksheet.conflict, conflict: null });
  saveSoon(worksheet.id, 0);
}
