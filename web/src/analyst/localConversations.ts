// Conversations in the storage of this browser: a copy of the latest, for each user. The server has
// all of them; what could not be saved there stays here.
import type { Conversation, Turn, TurnRun } from './conversation';
import type { ModelChoice } from './model';

const KEPT_MAX = 20;

const shownKey = (user: string) => `firn.conversation.shown.${user}`;
const copyKey = (user: string, name: string) => `firn.conversation.${user}.${name}`;
const namesKey = (user: string) => `firn.conversations.${user}`;
const modelKey = (user: string) => `firn.model.${user}`;

interface ListedLocally {
  name: string;
  changedMs: number;
}

export function keepLocally(user: string, conversation: Conversation): void {
  const { name, changedMs } = conversation;
  const names = [{ name, changedMs }, ...localNames(user).filter((one) => one.name !== name)];
  for (const { name: old } of names.splice(KEPT_MAX)) {
    localStorage.removeItem(copyKey(user, old));
  }
  keep(copyKey(user, name), JSON.stringify(conversation));
  keep(namesKey(user), JSON.stringify(names));
}

export function localNames(user: string): ListedLocally[] {
  return parsed<ListedLocally[]>(localStorage.getItem(namesKey(user))) ?? [];
}

export function localCopy(user: string, name: string): Conversation | null {
  const copy = parsed<Conversation>(localStorage.getItem(copyKey(user, name)));
  return copy && { ...copy, turns: settled(copy.turns) };
}

export function forgetLocally(user: string, name: string): void {
  localStorage.removeItem(copyKey(user, name));
  keep(namesKey(user), JSON.stringify(localNames(user).filter((one) => one.name !== name)));
}

/** A window shows its own conversation; a new window begins with the one that was shown last. */
export function keepShown(user: string, { name }: Conversation): void {
  sessionStorage.setItem(shownKey(user), name);
  keep(shownKey(user), name);
}

export function keptShown(user: string): Conversation | null {
  const name = sessionStorage.getItem(shownKey(user)) ?? localStorage.getItem(shownKey(user));
  return name ? localCopy(user, name) : null;
}

export function keepModel(user: string, model: ModelChoice): void {
  keep(modelKey(user), JSON.stringify(model));
}

export function keptModel(user: string): ModelChoice | null {
  return parsed<ModelChoice>(localStorage.getItem(modelKey(user)));
}

/** Nobody follows a stream that another page began; a statement's result is read by its handle. */
export function settled(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    state: turn.state === 'asking' ? 'stopped' : turn.state,
    run: turn.run?.state === 'running' ? leftRunning(turn.run) : turn.run,
  }));
}

function leftRunning(run: TurnRun): TurnRun | null {
  return run.handle === null ? null : { ...run, state: 'succeeded' };
}

function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The browser's storage is full; the server's copy remains.
  }
}

function parsed<Value>(text: string | null): Value | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Value;
  } catch {
    return null;
  }
}
