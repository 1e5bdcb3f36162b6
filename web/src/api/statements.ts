// The statement API as it is: submit, fetch, cancel. Running scripts is built on it in worksheets/run.
import type { ColumnType } from '../grid';
import { ApiFailure, type ErrorLocation } from './failure';
import { send, sendJson, wait } from './http';
import { newRequestId } from './requestId';
import { rememberStandIn, standInOf } from './standIn';

export interface StatementContext {
  role?: string | null;
  warehouse?: string | null;
  database?: string | null;
  schema?: string | null;
}

export interface Submission extends StatementContext {
  statement: string;
  /** Answer at once with a handle. */
  async?: boolean;
  /** Sent for the console's own needs: the history leaves it out. */
  isOwn?: boolean;
  /** A session that the server keeps, in which it runs. */
  session?: string;
  parameters?: Record<string, string | number>;
  bindings?: Record<string, { type: string; value: string | null }>;
}

export interface PartitionInfo {
  rowCount: number;
  uncompressedSize: number;
}

export interface Progress {
  phase?: string;
  percent?: number | null;
  rows?: number | null;
  /** Of several statements: which one it is about, from 1. */
  statement?: number;
}

export interface ResultAnswer {
  kind: 'result';
  code: string;
  message: string;
  statementHandle: string;
  statementHandles?: string[];
  createdOn: number;
  resultSetMetaData: { numRows: number; rowType: ColumnType[]; partitionInfo: PartitionInfo[] };
  data: (string | null)[][];
  stats?: Record<string, number>;
}

export interface RunningAnswer {
  kind: 'running';
  statementHandle: string;
  statementHandles?: string[];
  createdOn: number;
  progress?: Progress;
}

export interface FailedAnswer {
  kind: 'failed';
  code: string;
  sqlState: string;
  message: string;
  statementHandle?: string;
  statementHandles?: string[];
  createdOn?: number;
  errorLocation?: ErrorLocation;
}

export type StatementAnswer = ResultAnswer | RunningAnswer | FailedAnswer;

export const CANCELLED = '000604';
export const TIMED_OUT = '000630';
export const RESULT_WAS_CUT = '391908';
export const UNKNOWN_HANDLE = '000709';
const NO_WAREHOUSE = '000606';

const ANSWERS = [202, 408, 422];
const ATTEMPTS = 4;

/**
 * Sends a statement. One that says nothing of a warehouse (null says that there is none) runs in the
 * user's own, else in the first that the role may use.
 */
export async function submit(
  submission: Submission,
  signal?: AbortSignal,
): Promise<StatementAnswer> {
  const { role, warehouse } = submission;
  const known = warehouse === undefined ? standInOf(role) : undefined;
  const first = await submitOnce(known ? { ...submission, warehouse: known } : submission, signal);
  const isWithout = first.kind === 'failed' && first.code === NO_WAREHOUSE;
  if (!isWithout || warehouse !== undefined || known !== undefined) return first;
  const found = await findWarehouse(role, signal);
  return found === null ? first : submitOnce({ ...submission, warehouse: found }, signal);
}

/** The first warehouse that a role may use, one that is started before others. */
export async function findWarehouse(
  role: string | null | undefined,
  signal?: AbortSignal,
): Promise<string | null> {
  const statement = 'SHOW WAREHOUSES';
  const first = await submitOnce({ statement, role, isOwn: true }, signal);
  const answer = await untilEnded(first, signal);
  if (answer.kind === 'failed') return null;
  const at = (name: string) =>
    answer.resultSetMetaData.rowType.findIndex((column) => column.name.toLowerCase() === name);
  const rows = answer.data;
  const row = rows.find((one) => one[at('state')] === 'STARTED') ?? rows[0];
  const found = row?.[at('name')] ?? null;
  rememberStandIn(role, found);
  return found;
}

async function submitOnce(submission: Submission, signal?: AbortSignal): Promise<StatementAnswer> {
  const { async: asynchronous, isOwn, session, ...rest } = submission;
  const headers = {
    ...(isOwn && { 'X-Firn-Client-Generated': 'true' }),
    ...(session !== undefined && { 'X-Service-Session': session }),
  };
  const body = Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null));
  const query = `requestId=${newRequestId()}${asynchronous ? '&async=true' : ''}`;
  for (let attempt = 1; ; attempt += 1) {
    const retry = attempt > 1 ? '&retry=true' : '';
    try {
      const response = await sendJson(`/api/v2/statements?${query}${retry}`, body, {
        accept: ANSWERS,
        headers,
        signal,
      });
      return await answerOf(response);
    } catch (error) {
      await waitBeforeRetry(error, attempt, signal);
    }
  }
}

export async function fetchStatement(
  handle: string,
  signal?: AbortSignal,
): Promise<StatementAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const path = `/api/v2/statements/${encodeURIComponent(handle)}`;
      return await answerOf(await send(path, { accept: ANSWERS, signal }));
    } catch (error) {
      await waitBeforeRetry(error, attempt, signal);
    }
  }
}

/** The bytes `{"data": [[…]]}` of one partition. */
export async function fetchPartition(
  handle: string,
  partition: number,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const path = `/api/v2/statements/${encodeURIComponent(handle)}?partition=${partition}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await (await send(path, { signal })).arrayBuffer();
    } catch (error) {
      await waitBeforeRetry(error, attempt, signal);
    }
  }
}

/** Stops a statement on the server. One that has ended meanwhile is left as it is. */
export async function cancelStatement(handle: string): Promise<void> {
  const path = `/api/v2/statements/${encodeURIComponent(handle)}/cancel`;
  await sendJson(path, {}, { accept: [422] });
}

/** Characters of a statement's text in the list of what runs. */
export const RUNNING_TEXT_MAX = 200;

export interface RunningStatement {
  statementHandle: string;
  /** The beginning of its text. */
  text: string;
}

/** What the user runs now, from whatever program. */
export async function runningStatements(): Promise<RunningStatement[]> {
  const response = await send('/api/v2/statements?state=running&limit=100');
  const { statements } = (await response.json()) as { statements: RunningStatement[] };
  return statements;
}

/** Waits until the statement has ended, asking rarely after the first moments. */
export async function untilEnded(
  first: StatementAnswer,
  signal?: AbortSignal,
  onRunning?: (answer: RunningAnswer) => void,
): Promise<ResultAnswer | FailedAnswer> {
  let answer = first;
  for (let pause = 15; answer.kind === 'running'; pause = Math.min(pause * 1.6, 1000)) {
    onRunning?.(answer);
    await wait(pause, signal);
    answer = await fetchStatement(answer.statementHandle, signal);
  }
  return answer;
}

async function answerOf(response: Response): Promise<StatementAnswer> {
  const body = (await response.json()) as Record<string, unknown>;
  if (response.status === 202) return { kind: 'running', ...body } as unknown as RunningAnswer;
  if (response.ok) return { kind: 'result', ...body } as unknown as ResultAnswer;
  return { kind: 'failed', ...body } as unknown as FailedAnswer;
}

/** Too many requests, a server that restarts, a lost connection: worth another try. */
async function waitBeforeRetry(error: unknown, attempt: number, signal?: AbortSignal) {
  const again = error instanceof ApiFailure && [0, 429, 502, 503].includes(error.status);
  if (!again || attempt >= ATTEMPTS) throw error;
  await wait(Math.min(error.retryAfterMs ?? 250 * 2 ** attempt, 5000), signal);
}
