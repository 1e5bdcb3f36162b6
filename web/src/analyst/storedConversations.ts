// Conversations as files `@~/conversations/NAME.json` on the user's own stage. Two pages that write
// the same one lose nothing: the turns of both are kept.
import { messageOf } from '../api/failure';
import { listFiles, OWN_STAGE, readFile, removeFile, writeFile } from '../api/stageFiles';
import { notify } from '../components/notices';
import { type Conversation, mergeTurns } from './conversation';
import {
  addLoaded,
  changeConversation,
  conversationOf,
  dropConversation,
  freeName,
  keepConversation,
  noteListed,
  showConversation,
  useConversations,
} from './conversationStore';
import { forgetLocally, localCopy, localNames, settled } from './localConversations';

const FOLDER = 'conversations/';
const ENDING = '.json';
const QUIET_MS = 1000;
const RETRY_MS = 15_000;

const pathOf = (name: string) => `${FOLDER}${name}${ENDING}`;

export async function refreshConversations(): Promise<void> {
  const { user } = useConversations.getState();
  if (user === null) return;
  const here = localNames(user);
  try {
    const files = await listFiles(OWN_STAGE, FOLDER);
    const there = files
      .filter(({ path }) => path.endsWith(ENDING))
      .map(({ path, lastModified }) => ({
        name: path.slice(FOLDER.length, -ENDING.length),
        changedMs: lastModified,
      }));
    const onServer = new Set(there.map(({ name }) => name));
    // A copy that the server had once and has no more was deleted elsewhere.
    const only = here.filter(
      ({ name }) => !onServer.has(name) && localCopy(user, name)?.etag === null,
    );
    show([...there, ...only], null);
  } catch (error) {
    show(here, messageOf(error));
  }
}

function show(names: { name: string; changedMs: number }[], listError: string | null): void {
  const listed = names.sort((one, other) => other.changedMs - one.changedMs);
  useConversations.setState({ listed, listError });
}

/** Shows a conversation of the user's by its name, unless nobody waits for it any more. Tells whether it is there. */
export async function openConversation(name: string, isLeft = () => false): Promise<boolean> {
  const { user, loaded } = useConversations.getState();
  const known = Object.values(loaded).find((one) => one.name === name);
  if (known) {
    showConversation(known.id);
    return true;
  }
  if (user === null) return false;
  const conversation = await readConversation(user, name);
  if (isLeft() || useConversations.getState().user !== user) return true;
  if (conversation) addLoaded(conversation);
  else await refreshConversations();
  return conversation !== null;
}

/** The server's copy, with what only this browser has yet. */
async function readConversation(user: string, name: string): Promise<Conversation | null> {
  const ours = localCopy(user, name);
  let file: Awaited<ReturnType<typeof readFile>>;
  try {
    file = await readFile(OWN_STAGE, pathOf(name));
  } catch {
    return ours;
  }
  const theirs = file && conversationIn(file.text, name, file.etag);
  // A copy that the server had once and has no more was deleted elsewhere.
  if (!theirs) return ours?.etag === null ? ours : null;
  if (ours?.id !== theirs.id) return theirs;
  return ours.etag === theirs.etag
    ? ours
    : { ...theirs, turns: mergeTurns(ours.turns, theirs.turns) };
}

interface Content {
  version: 1;
  id: string;
  model: Conversation['model'];
  turns: Conversation['turns'];
  changedMs: number;
}

function contentOf({ id, model, turns, changedMs }: Conversation): string {
  return JSON.stringify({ version: 1, id, model, turns, changedMs } satisfies Content);
}

function conversationIn(text: string, name: string, etag: string): Conversation | null {
  try {
    const { version, id, model, turns, changedMs } = JSON.parse(text) as Content;
    if (version !== 1 || !Array.isArray(turns)) return null;
    return {
      id,
      name,
      model,
      turns: settled(turns),
      changedMs,
      etag,
      saving: 'saved',
      saveError: null,
    };
  } catch {
    return null;
  }
}

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const inFlight = new Map<string, Promise<void>>();

/** Keeps the conversation in this browser at once and on the server when it has been quiet. */
export function saveSoon(id: string, delayMs = QUIET_MS): void {
  keepConversation(id);
  clearTimeout(timers.get(id));
  timers.set(
    id,
    setTimeout(() => void saveNow(id), delayMs),
  );
}

async function saveNow(id: string): Promise<void> {
  await inFlight.get(id);
  const saving = save(id).finally(() => inFlight.delete(id));
  inFlight.set(id, saving);
  await saving;
}

async function save(id: string): Promise<void> {
  const conversation = conversationOf(id);
  if (conversation === null || conversation.name === '') return;
  const { name, etag } = conversation;
  try {
    const condition = etag === null ? 'absent' : { matches: etag };
    const content = contentOf(conversation);
    const written = await writeFile(OWN_STAGE, pathOf(name), content, condition);
    if (written.kind === 'conflict') return await settleConflict(id, name);
    changeConversation(id, { etag: written.etag, saving: 'saved', saveError: null });
    keepConversation(id);
  } catch (error) {
    changeConversation(id, { saving: 'failed', saveError: messageOf(error) });
    saveSoon(id, RETRY_MS);
  }
}

async function settleConflict(id: string, name: string): Promise<void> {
  const file = await readFile(OWN_STAGE, pathOf(name));
  const ours = conversationOf(id);
  if (ours === null) return;
  const theirs = file && conversationIn(file.text, name, file.etag);
  if (file === null) changeConversation(id, { etag: null });
  else if (theirs?.id === id) {
    changeConversation(id, { etag: file.etag, turns: mergeTurns(theirs.turns, ours.turns) });
  } else {
    // Another conversation has the name.
    noteListed({ name, changedMs: theirs?.changedMs ?? ours.changedMs });
    const free = freeName(name);
    changeConversation(id, { name: free, etag: null });
    noteListed({ name: free, changedMs: ours.changedMs });
  }
  saveSoon(id, 0);
}

export async function deleteConversation(name: string): Promise<void> {
  const { user, loaded } = useConversations.getState();
  const known = Object.values(loaded).find((one) => one.name === name);
  const file = await readFile(OWN_STAGE, pathOf(name));
  await removeFile(OWN_STAGE, pathOf(name));
  const removed = known ?? (file && conversationIn(file.text, name, file.etag));
  if (known) clearTimeout(timers.get(known.id));
  dropConversation(name);
  if (user !== null) forgetLocally(user, name);
  notify(`“${name}” is deleted.`, {
    name: 'Undo',
    run: () => {
      if (!removed) return;
      addLoaded({ ...removed, etag: null });
      noteListed({ name, changedMs: removed.changedMs });
      saveSoon(removed.id, 0);
    },
  });
}
