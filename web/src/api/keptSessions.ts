// Sessions that the server keeps between requests, one for each owner (a worksheet) that has run
// something. Their ids outlive a reload of the page; the server ends those that nobody uses.
import { ApiFailure } from './failure';
import { send, sendJson, wait } from './http';
import {
  CANCELLED,
  cancelStatement,
  RUNNING_TEXT_MAX,
  runningStatements,
  type StatementAnswer,
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
  /** A statement was stopped in it, which not every server's session outlives. */
  wasStopped: boolean;
}

export const SESSION_BUSY = '391914';
const SESSION_GONE = '390111';

const GONE = 'Variables and temporary tables of earlier runs are gone: the session had ended.';
const GONE_WITH_CANCELLED =
  'Variables and temporary tables of earlier runs are gone: their session ended with the statement that was stopped.';
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
  if (kept.wasStopped && !(await isUsable(owner, kept, signal))) {
    await closeSession(owner);
    return submitInNew(owner, submission, GONE_WITH_CANCELLED, signal);
  }
  const answer = await submitTo(owner, keptSession(owner) ?? kept, submission, signal);
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
  if (typeof opened !== 'string') {
    sessionStorage.removeItem(KEY + owner);
    return { answer: await submit(submission, signal), note: opened.without };
  }
  const session = { id: opened, sent: '', isProfiled: false, wasStopped: false };
  return { answer: await submitTo(owner, session, submission, signal), note };
}

/** False if the session refuses whatever is sent, as if the new statement had been cancelled. */
async function isUsable(
  owner: string,
  session: KeptSession,
  signal?: AbortSignal,
): Promise<boolean> {
  // What is drawn anew is never answered from an earlier result.
  const probe = { statement: 'SELECT RANDOM()', isOwn: true };
  const answer = await submitTo(owner, session, probe, signal);
  return answer.kind !== 'failed' || answer.code !== CANCELLED;
}

/** Says that a statement of the owner's session was cancelled or ran out of time. */
export function noteStopped(owner: string): void {
  const kept = keptSession(owner);
  if (kept !== null) keep(owner, { ...kept, wasStopped: true });
}

async function openSession(signal?: AbortSignal): Promise<string | { without: string }> {
  try {
    const response = await sendJson('/api/v2/sessions', {}, { signal });
    return ((await response.json()) as { sessionId: string }).sessionId;
  } catch (error) {
    const without = error instanceof ApiFailure ? WITHOUT[error.status] : undefined;
    if (without === undefined) throw error;
    return { without };
  }
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
    wasStopped: false,
  };
  for (let attempt = 0; ; attempt += 1) {
    // Also of what nobody waits for any more it is known what was sent.
    keep(owner, after);
    try {
      return await submit(sent, signal);
    } catch (error) {
      if (!isBusy(error)) throw error;
      keep(owner, session);
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
  noteStopped(owner);
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
