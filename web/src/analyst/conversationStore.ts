// The conversations that are loaded, the names of all, and which one is shown.
import { create } from 'zustand';
import { newRequestId } from '../api/requestId';
import { cleanName } from '../worksheets/worksheet';
import type { Conversation, Turn } from './conversation';
import { keepLocally, keepShown, keptShown } from './localConversations';
import type { ModelChoice } from './model';

export interface ListedConversation {
  name: string;
  changedMs: number;
}

interface ConversationState {
  /** Whose conversations these are; null until they are there. */
  user: string | null;
  loaded: Record<string, Conversation>;
  shownId: string | null;
  /** Those of the server and of this browser, the latest first. */
  listed: ListedConversation[];
  listError: string | null;
}

const NOTHING: ConversationState = {
  user: null,
  loaded: {},
  shownId: null,
  listed: [],
  listError: null,
};

export const useConversations = create<ConversationState>(() => NOTHING);

export function conversationOf(id: string): Conversation | null {
  return useConversations.getState().loaded[id] ?? null;
}

export function shownConversation(): Conversation | null {
  const { shownId } = useConversations.getState();
  return shownId === null ? null : conversationOf(shownId);
}

export function useShownConversation(): Conversation | null {
  return useConversations(({ loaded, shownId }) =>
    shownId === null ? null : (loaded[shownId] ?? null),
  );
}

/** Begins for a user, with what the address names, else the conversation that was shown last or an empty one. */
export function openConversations(user: string, wanted: string | null): void {
  if (useConversations.getState().user === user) return;
  useConversations.setState({ ...NOTHING, user });
  if (wanted) return;
  const kept = wanted === null ? keptShown(user) : null;
  if (kept === null) startConversation(null);
  else addLoaded(kept);
}

/** Shows a conversation of its own with the model, which is chosen first if there is none. */
export function startConversation(model: ModelChoice | null): Conversation {
  const before = shownConversation();
  // One that has no question yet is used again.
  if (before && before.turns.length === 0) {
    changeConversation(before.id, { model });
    return { ...before, model };
  }
  const conversation: Conversation = {
    id: newRequestId(),
    name: '',
    model,
    turns: [],
    changedMs: Date.now(),
    etag: null,
    saving: 'saved',
    saveError: null,
  };
  addLoaded(conversation);
  return conversation;
}

export function addLoaded(conversation: Conversation): void {
  useConversations.setState(({ loaded }) => ({
    loaded: { ...loaded, [conversation.id]: conversation },
  }));
  showConversation(conversation.id);
}

export function showConversation(id: string): void {
  useConversations.setState({ shownId: id });
  const { user } = useConversations.getState();
  const conversation = conversationOf(id);
  if (user !== null && conversation) keepShown(user, conversation);
}

export function changeConversation(id: string, changes: Partial<Conversation>): void {
  useConversations.setState(({ loaded }) => {
    const before = loaded[id];
    return before ? { loaded: { ...loaded, [id]: { ...before, ...changes } } } : {};
  });
}

/** Adds a question. The first one names the conversation. */
export function addTurn(id: string, turn: Turn): void {
  const conversation = conversationOf(id);
  if (conversation === null) return;
  const name = conversation.name || freeName(turn.question);
  const changedMs = Date.now();
  changeConversation(id, { name, turns: [...conversation.turns, turn], changedMs });
  noteListed({ name, changedMs });
}

export function changeTurn(id: string, turnId: string, changes: Partial<Turn>): void {
  const conversation = conversationOf(id);
  if (conversation === null) return;
  const turns = conversation.turns.map((turn) =>
    turn.id === turnId ? { ...turn, ...changes } : turn,
  );
  changeConversation(id, { turns });
}

export function turnOf(id: string, turnId: string): Turn | null {
  return conversationOf(id)?.turns.find((turn) => turn.id === turnId) ?? null;
}

export function noteListed(one: ListedConversation): void {
  useConversations.setState(({ listed }) => ({
    listed: [one, ...listed.filter(({ name }) => name !== one.name)],
  }));
}

export function dropConversation(name: string): void {
  const { loaded, shownId, listed } = useConversations.getState();
  const found = Object.values(loaded).find((one) => one.name === name);
  const rest = { ...loaded };
  if (found) delete rest[found.id];
  useConversations.setState({
    loaded: rest,
    listed: listed.filter((one) => one.name !== name),
    shownId: found?.id === shownId ? null : shownId,
  });
  if (found?.id === shownId) startConversation(found?.model ?? null);
}

const NAME_LENGTH_MAX = 80;

export function freeName(question: string): string {
  const taken = new Set(useConversations.getState().listed.map(({ name }) => name));
  const wanted = cleanName(question.slice(0, NAME_LENGTH_MAX)) || 'Question';
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted} ${number}`)) number += 1;
  return `${wanted} ${number}`;
}

/** What survives a reload without the server. */
export function keepConversation(id: string): void {
  const { user, shownId } = useConversations.getState();
  const conversation = conversationOf(id);
  if (user === null || conversation === null || conversation.name === '') return;
  keepLocally(user, conversation);
  if (shownId === id) keepShown(user, conversation);
}
