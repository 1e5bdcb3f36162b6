// Sessions that the server keeps between requests, one for each owner (a worksheet) that has run
// something. Their ids outlive a reload of the page; the server ends those that nobody uses.
import { ApiFailure } from './failure';
import { send, sendJson, wait } from './http';
import { choicesOf, type SessionNames, withPlace } from './sessionNames';
import {
  cancelStatement,
  type FailedAnswer,
  RUNNING_TEXT_MAX,
  runningStatements,
  type StatementAnswer,
  type StatementContext,
  type Submission,
  submit,
} from './statements';

const KEY = 'firn.session.';

interface KeptSession {
  id: string;
  /** The beginning of what was sent last, as the server lists it. */
  sent: string;
  /** Parameters hold in a session until they are set again. */
  isProfiled: boolean;
  /** What it has chosen, as far as is known: a run may change it, so it is asked for after each. */
  names: SessionNames | null;
  /** It did not take what a picker says, which stays as it is for another choice. */
  isRefused?: boolean;
}

export const SESSION_BUSY = '391914';
const SESSION_GONE = '390111';

const GONE = 'Variables and temporary tables of earlier runs are gone: the session had ended.';
const WITHOUT: Record<number, string> = {
  404: 'The server keeps no sessions: variables and temporary tables end with the run.',
  405: 'The server keeps no sessions: variables and temporary tables end with the run.',
  429: 'Too many sessions are open: this ran without one, so its variables and temporary tables are gone.',
};

export interface SessionAnswer {
  answer: StatementAnswer;
  /** What became of the variables and temporary tables, if they did not stay. */
  note: string | null;
}

/** Sends a statement in the owner's session, which is opened if there is none. */
export async function submitInSession(
  owner: string,
  submission: Submission,
  signal?: AbortSignal,
): Promise<SessionAnswer> {
  const kept = keptSession(owner);
  if (kept === null) return submitInNew(owner, submission, null, signal);
  const answer = await submitChosen(owner, kept, submission, signal);
  const isGone = answer.kind === 'failed' && answer.code === SESSION_GONE;
  return isGone ? submitInNew(owner, submission, GONE, signal) : { answer, note: null };
}

async function submitInNew(
  owner: string,
  submission: Submission,
  note: string | null,
  signal?: AbortSignal,
): Promise<SessionAnswer> {
  const opened = await openSession(signal);
  if ('without' in opened) {
    sessionStorage.removeItem(KEY + owner);
    return { answer: await submit(submission, signal), note: opened.without };
  }
  return { answer: await submitChosen(owner, opened, submission, signal), note };
}

async function openSession(signal?: AbortSignal): Promise<KeptSession | { without: string }> {
  try {
    const response = await sendJson('/api/v2/sessions', {}, { signal });
    const { sessionId: id, ...names } = (await response.json()) as SessionBody;
    return { id, sent: '', isProfiled: false, names };
  } catch (error) {
    const without = error instanceof ApiFailure ? WITHOUT[error.status] : undefined;
    if (without === undefined) throw error;
    return { without };
  }
}

type SessionBody = SessionNames & { sessionId: string; state: string };

/**
 * Sends a statement without the names that the session has chosen: they stay chosen also while they
 * are hidden or gone, and only statements that need them fail. Others are chosen first.
 */
async function submitChosen(
  owner: string,
  session: KeptSession,
  { role, warehouse, database, schema, ...rest }: Submission,
  signal?: AbortSignal,
): Promise<StatementAnswer> {
  keep(owner, session);
  const wanted = { role, warehouse, database, schema };
  const names = session.names ?? (await namesOf(session, signal));
  const refused = names && (await choose(session, names, wanted, rest.statement, signal));
  if (refused) {
    keep(owner, { ...session, names: null, isRefused: true });
    return withPlace(refused.answer, refused.part);
  }
  // Where nothing says which warehouse, the first that may be used is a stand-in for the session, too.
  const isWithout = warehouse === undefined && names?.warehouse == null;
  const submission = { ...rest, ...(isWithout ? { role } : { warehouse: null }) };
  return submitTo(owner, { ...session, names: null }, submission, signal);
}

/** Chooses by USE what a picker was set to; returns what the session refuses. */
async function choose(
  { id }: KeptSession,
  names: SessionNames,
  wanted: StatementContext,
  statement: string,
  signal?: AbortSignal,
): Promise<{ answer: FailedAnswer; part: string } | null> {
  const chosen = new Set<string>();
  for (const { part, use, isOptional } of choicesOf(names, wanted, statement)) {
    if (chosen.has(part)) continue;
    const answer = await unlessBusy(
      () => submit({ statement: use, session: id, warehouse: null, isOwn: true }, signal),
      signal,
    );
    if (answer.kind !== 'failed') chosen.add(part);
    else if (!isOptional || answer.code === SESSION_GONE) return { answer, part };
  }
  return null;
}

/** What the owner's session has chosen after its last statement; null if that cannot be told. */
export async function followSession(owner: string): Promise<SessionNames | null> {
  const kept = keptSession(owner);
  if (kept === null || kept.isRefused) return null;
  const names = await namesOf(kept).catch(() => null);
  const now = keptSession(owner);
  // Meanwhile another run may have begun, which changes it again.
  if (now?.id === kept.id && now.sent === kept.sent) keep(owner, { ...now, names });
  return names;
}

async function namesOf(session: KeptSession, signal?: AbortSignal): Promise<SessionNames | null> {
  for (const pause of [...BUSY_PAUSES_MS, 0]) {
    const response = await send(pathOf(session), { accept: [422], signal });
    if (!response.ok) return null;
    const { state, role, warehouse, database, schema } = (await response.json()) as SessionBody;
    if (state !== 'busy') return { role, warehouse, database, schema };
    await wait(pause, signal);
  }
  return null;
}

/** A session is free a moment after its last statement has ended. */
const BUSY_PAUSES_MS = [50, 200, 500];

async function submitTo(
  owner: string,
  session: KeptSession,
  submission: Submission,
  signal?: AbortSignal,
): Promise<StatementAnswer> {
  const profile = submission.parameters?.profile;
  const sent = {
    ...submission,
    session: session.id,
    parameters: {
      ...submission.parameters,
      ...(session.isProfiled && profile === undefined && { profile: 'false' }),
    },
  };
  const after = {
    id: session.id,
    sent: [...submission.statement].slice(0, RUNNING_TEXT_MAX).join(''),
    isProfiled: profile === 'true',
    names: null,
  };
  return unlessBusy(
    () => {
      // Also of what nobody waits for any more it is known what was sent.
      keep(owner, after);
      return submit(sent, signal);
    },
    signal,
    () => keep(owner, session),
  );
}

async function unlessBusy(
  act: () => Promise<StatementAnswer>,
  signal?: AbortSignal,
  onBusy?: () => void,
): Promise<StatementAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error)) throw error;
      onBusy?.();
      const pause = BUSY_PAUSES_MS[attempt];
      if (pause === undefined) throw error;
      await wait(pause, signal);
    }
  }
}

export function isBusy(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && error.code === SESSION_BUSY;
}

/** Stops what still runs in the owner's session; false if it cannot be told which statement that is. */
export async function cancelInSession(owner: string): Promise<boolean> {
  const sent = keptSession(owner)?.sent ?? '';
  const running = await runningStatements();
  const found = running.filter(({ text }) => sent !== '' && text === sent);
  const [only] = found;
  if (only === undefined || found.length > 1) return false;
  await cancelStatement(only.statementHandle);
  return true;
}

/** Ends the owner's session, if the server can be reached: else it ends by itself. */
export async function closeSession(owner: string): Promise<void> {
  const kept = keptSession(owner);
  if (kept === null) return;
  sessionStorage.removeItem(KEY + owner);
  await send(pathOf(kept), { method: 'DELETE' }).catch(() => undefined);
}

export async function closeAllSessions(): Promise<void> {
  const owners = Object.keys(sessionStorage)
    .filter((key) => key.startsWith(KEY))
    .map((key) => key.slice(KEY.length));
  await Promise.all(owners.map(closeSession));
}

function pathOf({ id }: KeptSession): string {
  return `/api/v2/sessions/${encodeURIComponent(id)}`;
}

function keep(owner: string, session: KeptSession): void {
  sessionStorage.setItem(KEY + owner, JSON.stringify(session));
}

function keptSession(owner: string): KeptSession | null {
  const text = sessionStorage.getItem(KEY + owner);
  return text === null ? null : (JSON.parse(text) as KeptSession);
}
