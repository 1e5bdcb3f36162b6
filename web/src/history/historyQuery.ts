// The history as SQL: what is asked, and what of it is left out.
import { CONSOLE_TAG, runObjects, sqlText } from '../api/query';
import type { StatementContext } from '../api/statements';
import { HISTORY, historyCall, LOOKED_AT_MAX } from './historyCall';
import { HISTORY_COLUMNS, type HistoryRow, historyRow } from './historyRow';

export type StateFilter = 'all' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface HistoryFilter {
  /** A user's name; null: everybody that the role may see. */
  user: string | null;
  state: StateFilter;
  hours: number;
  /** Words of the text, or a query id. */
  text: string;
  /** Also what the console asked for itself. */
  withOwn: boolean;
}

const STATES: Record<StateFilter, string | null> = {
  all: null,
  running: "EXECUTION_STATUS IN ('RUNNING', 'QUEUED', 'RESUMING_WAREHOUSE', 'BLOCKED')",
  succeeded: "EXECUTION_STATUS = 'SUCCESS'",
  failed:
    "EXECUTION_STATUS LIKE 'FAILED%' AND COALESCE(ERROR_CODE, '') NOT IN ('000604', '000630')",
  cancelled: "ERROR_CODE IN ('000604', '000630')",
};

export function historyQuery(filter: HistoryFilter, rows: number, newerThanMs?: number): string {
  const conditions = conditionsOf(filter);
  if (newerThanMs !== undefined) {
    conditions.push(`START_TIME > TO_TIMESTAMP_LTZ(${Math.round(newerThanMs)}, 3)`);
  }
  return (
    `SELECT ${HISTORY_COLUMNS} FROM TABLE(${historyCall(filter, rows)})` +
    `${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''} ` +
    `ORDER BY START_TIME DESC LIMIT ${rows}`
  );
}

function conditionsOf({ state, text, withOwn }: HistoryFilter): string[] {
  const conditions: string[] = [];
  const ofState = STATES[state];
  if (ofState) conditions.push(`(${ofState})`);
  if (!withOwn) conditions.push(`COALESCE(QUERY_TAG, '') <> ${sqlText(CONSOLE_TAG)}`);
  const wanted = text.trim();
  if (wanted !== '') {
    conditions.push(
      `(CONTAINS(LOWER(QUERY_TEXT), ${sqlText(wanted.toLowerCase())}) OR QUERY_ID = ${sqlText(wanted.toLowerCase())})`,
    );
  }
  return conditions;
}

export async function loadHistory(
  filter: HistoryFilter,
  rows: number,
  context: StatementContext,
  signal?: AbortSignal,
): Promise<HistoryRow[]> {
  return (await ask(historyQuery(filter, rows), context, signal)).map(historyRow);
}

const NEWS_MAX = 100;

/** How many statements began since the newest that is shown. */
export async function countNewer(
  filter: HistoryFilter,
  newestMs: number,
  context: StatementContext,
  signal?: AbortSignal,
): Promise<number> {
  const rows = await ask(historyQuery(filter, NEWS_MAX, newestMs), context, signal);
  return rows.length;
}

/** The present state of statements, wherever they stand in the history. */
export async function loadStatements(
  ids: readonly string[],
  context: StatementContext,
  signal?: AbortSignal,
): Promise<HistoryRow[]> {
  const list = ids.map(sqlText).join(', ');
  const rows = await ask(
    `SELECT ${HISTORY_COLUMNS} FROM TABLE(${HISTORY}(` +
      `RESULT_LIMIT => ${LOOKED_AT_MAX}, INCLUDE_CLIENT_GENERATED_STATEMENT => TRUE)) WHERE QUERY_ID IN (${list})`,
    context,
    signal,
  );
  return rows.map(historyRow);
}

/** Whose statements the role sees. */
export async function loadUsers(context: StatementContext, signal?: AbortSignal) {
  const rows = await ask(
    `SELECT DISTINCT USER_NAME FROM TABLE(${HISTORY}(RESULT_LIMIT => ${LOOKED_AT_MAX})) ORDER BY 1`,
    context,
    signal,
  );
  return rows.map(({ user_name }) => user_name ?? '');
}

async function ask(statement: string, context: StatementContext, signal?: AbortSignal) {
  return runObjects(statement, context, signal);
}
