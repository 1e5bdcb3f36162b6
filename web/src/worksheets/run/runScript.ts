// Runs statements of a worksheet, one by itself, several as a set, in the worksheet's session.
import { isAbort, messageOf } from '../../api/failure';
import { isBusy, SESSION_BUSY, submitInSession } from '../../api/keptSessions';
import { newRequestId } from '../../api/requestId';
import {
  CANCELLED,
  cancelStatement,
  type FailedAnswer,
  fetchStatement,
  type ResultAnswer,
  type StatementAnswer,
  type StatementContext,
  type Submission,
  UNKNOWN_HANDLE,
  untilEnded,
} from '../../api/statements';
import type { Statement } from '../../sql/split';
import { placeOf } from './errorPlace';
import { keepResult } from './resultSources';
import { rowsInWords } from './rowsInWords';
import { beganAtMs, isRunning, newOutcome, type Outcome, type Run } from './run';
import { changeOutcome, changeRun, putRun, runOf } from './runStore';

/** Megabytes at which a partition ends: small enough to be parsed while somebody scrolls. */
const PARTITION_MB = 2;

const STILL_RUNS =
  'The earlier statement of this worksheet still runs. Wait for its end, or cancel it.';

const aborts = new Map<string, AbortController>();

/** Starts a run and returns it as it ended. */
export async function runStatements(
  worksheetId: string,
  text: string,
  statements: readonly Statement[],
  context: StatementContext,
): Promise<Run | null> {
  if (isRunning(runOf(worksheetId))) return null;
  const before = runOf(worksheetId);
  const outcomes = statements.map(({ text: statement, start }) => {
    const same = before?.outcomes.find((one) => one.text === statement);
    return { ...newOutcome(statement, start), chart: same?.chart ?? null };
  });
  // What is run again is looked at as before.
  const isAgain = outcomes.some((one) => one.text === before?.outcomes[before.selected]?.text);
  const run: Run = {
    id: newRequestId(),
    context,
    startedAtMs: Date.now(),
    endedAtMs: null,
    handle: null,
    outcomes,
    selected: 0,
    isChosen: false,
    view: isAgain ? (before?.view ?? 'table') : 'table',
    progress: null,
    note: null,
  };
  putRun(worksheetId, run);
  const running = new Running(worksheetId, run.id);
  aborts.set(run.id, running.abort);
  try {
    if (statements.length === 1) await running.one(context);
    else await running.all(text, statements, context);
  } catch (error) {
    if (isBusy(error)) running.failRest(STILL_RUNS, SESSION_BUSY);
    else if (isAbort(error)) running.cancelRest();
    else running.failRest(messageOf(error));
  } finally {
    aborts.delete(run.id);
    changeRun(worksheetId, run.id, { endedAtMs: Date.now(), progress: null });
  }
  return runOf(worksheetId);
}

/** Stops the server's work; the run ends when the server says that it has. */
export async function cancelRun(worksheetId: string): Promise<void> {
  const run = runOf(worksheetId);
  if (!isRunning(run)) return;
  if (run.handle !== null) await cancelStatement(run.handle);
  else aborts.get(run.id)?.abort();
}

/** Goes on with a run that was there before a reload, and returns it as it ended. */
export async function followRun(worksheetId: string): Promise<Run | null> {
  const run = runOf(worksheetId);
  if (!isRunning(run)) return null;
  const running = new Running(worksheetId, run.id);
  try {
    if (run.handle === null) running.failRest('The page was left before the server answered.');
    else await running.follow();
  } catch (error) {
    running.failRest(messageOf(error));
  } finally {
    changeRun(worksheetId, run.id, { endedAtMs: Date.now(), progress: null });
  }
  return runOf(worksheetId);
}

class Running {
  readonly abort = new AbortController();

  constructor(
    private readonly worksheetId: string,
    private readonly runId: string,
  ) {}

  async one(context: StatementContext): Promise<void> {
    const statement = this.outcomes[0]?.text ?? '';
    this.change(0, { state: 'running' });
    const startedAtMs = Date.now();
    const first = await this.submit({
      statement,
      ...context,
      async: !showsSecret(statement),
      parameters: this.parameters(),
    });
    if (first.kind === 'running') {
      changeRun(this.worksheetId, this.runId, { handle: first.statementHandle });
      this.change(0, { handle: first.statementHandle });
    }
    const answer = await untilEnded(first, this.abort.signal, ({ progress }) => {
      if (progress) changeRun(this.worksheetId, this.runId, { progress });
    });
    this.end(0, answer, Date.now() - startedAtMs);
  }

  /** The text between the first statement and the last is sent as it is, so that places stay right. */
  async all(
    text: string,
    statements: readonly Statement[],
    context: StatementContext,
  ): Promise<void> {
    const from = statements[0]?.start ?? 0;
    const sent = text.slice(from, statements.at(-1)?.end);
    const first = await this.submit({
      statement: sent,
      ...context,
      async: true,
      parameters: this.parameters(0),
    });
    this.change(0, { handle: first.statementHandle ?? null });
    const read = first.statementHandles ? first : await this.whole(first);
    if (read.kind === 'failed' && !read.statementHandles) {
      this.failWhole(sent, from, read);
      return;
    }
    const handles = read.statementHandles ?? [read.statementHandle ?? ''];
    changeRun(this.worksheetId, this.runId, { handle: first.statementHandle ?? null });
    handles.forEach((handle, index) => {
      this.change(index, { handle });
    });
    await this.follow();
  }

  /** Waits for one statement after the other. */
  async follow(): Promise<void> {
    for (const [index, outcome] of this.outcomes.entries()) {
      if (outcome.handle === null || !['waiting', 'running'].includes(outcome.state)) continue;
      this.change(index, { state: 'running' });
      const first = await fetchStatement(outcome.handle, this.abort.signal);
      const answer = await untilEnded(first, this.abort.signal, ({ progress }) => {
        if (progress) changeRun(this.worksheetId, this.runId, { progress });
      });
      const run = runOf(this.worksheetId);
      // What still runs is dated as its set is.
      const startedAtMs = run ? beganAtMs(run, index, answer.createdOn) : Date.now();
      this.end(index, answer, Math.max(Date.now() - startedAtMs, 0));
      if (answer.kind === 'failed') return this.skipBehind(index);
    }
  }

  /** Nobody waits for the server's answer any more. */
  cancelRest(): void {
    const at = this.outcomes.findIndex(({ state }) => state === 'running' || state === 'waiting');
    if (at === -1) return;
    this.change(at, { state: 'cancelled' });
    this.skipBehind(at);
  }

  failRest(message: string, code = ''): void {
    const at = this.outcomes.findIndex(({ state }) => state === 'running' || state === 'waiting');
    if (at === -1) return;
    this.change(at, { state: 'failed', error: { code, message, offset: null, line: null } });
    this.select(at);
    this.skipBehind(at);
  }

  private async submit(submission: Submission): Promise<StatementAnswer> {
    const { answer, note } = await submitInSession(this.worksheetId, submission, this.abort.signal);
    changeRun(this.worksheetId, this.runId, { note });
    return answer;
  }

  /** A script whose statements are not told at once may be none: the server has yet to read it. */
  private async whole(first: StatementAnswer): Promise<ResultAnswer | FailedAnswer> {
    if (first.kind === 'running') {
      changeRun(this.worksheetId, this.runId, { handle: first.statementHandle });
    }
    return untilEnded(first, this.abort.signal);
  }

  /** A script that cannot be read at all: the error belongs to the statement at its place. */
  private failWhole(sent: string, from: number, failed: FailedAnswer): void {
    const place = placeOf(sent, failed);
    const offset = place === null ? null : from + place.offset;
    const found = this.outcomes.findLastIndex(({ start }) => offset !== null && start <= offset);
    const at = Math.max(found, 0);
    this.outcomes.forEach((_, index) => {
      this.change(index, { state: 'skipped' });
    });
    const error = { code: failed.code, message: failed.message, offset, line: place?.line ?? null };
    const state = failed.code === CANCELLED ? 'cancelled' : 'failed';
    this.change(at, { state, error });
    this.select(at);
  }

  private end(index: number, answer: ResultAnswer | FailedAnswer, tookMs: number): void {
    if (answer.kind === 'result') {
      const source = keepResult(answer);
      this.change(index, {
        state: 'succeeded',
        handle: answer.statementHandle,
        rowCount: source.rowCount,
        message: rowsInWords(answer),
        tookMs,
      });
      this.select(index);
      return;
    }
    const outcome = this.outcomes[index];
    // 000709: the statement was never reached.
    const isUnknown = answer.code === UNKNOWN_HANDLE;
    const state = answer.code === CANCELLED ? 'cancelled' : isUnknown ? 'skipped' : 'failed';
    const place = outcome ? placeOf(outcome.text, answer) : null;
    this.change(index, {
      state,
      tookMs,
      handle: answer.statementHandle ?? outcome?.handle ?? null,
      error: {
        code: answer.code,
        message: answer.message,
        offset: place && outcome ? outcome.start + place.offset : null,
        line: place?.line ?? null,
      },
    });
    this.select(index);
  }

  /** Who looked at the profile looks at it again, and measuring is asked for before it runs. */
  private parameters(count?: number): Record<string, number | string> {
    const isProfiled = runOf(this.worksheetId)?.view === 'profile';
    return {
      client_result_chunk_size: PARTITION_MB,
      ...(isProfiled && { profile: 'true' }),
      ...(count !== undefined && { multi_statement_count: count }),
    };
  }

  private get outcomes(): readonly Outcome[] {
    const run = runOf(this.worksheetId);
    return run?.id === this.runId ? run.outcomes : [];
  }

  private change(index: number, changes: Partial<Outcome>): void {
    changeOutcome(this.worksheetId, this.runId, index, changes);
  }

  private select(index: number): void {
    if (runOf(this.worksheetId)?.isChosen) return;
    changeRun(this.worksheetId, this.runId, { selected: index });
  }

  private skipBehind(index: number): void {
    this.outcomes.forEach(({ state }, at) => {
      if (at > index && (state === 'waiting' || state === 'running'))
        this.change(at, { state: 'skipped' });
    });
  }
}

/** A new token is in the answer to the request itself and masked in one that is fetched later. */
function showsSecret(statement: string): boolean {
  return /\b(ADD|ROTATE)\s+(PROGRAMMATIC\s+ACCESS\s+TOKEN|PAT)\b/i.test(statement);
}
