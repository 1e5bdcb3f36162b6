// One statement of the history, from the columns of QUERY_HISTORY.
import { CANCELLED, TIMED_OUT } from '../api/statements';

export type HistoryState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface HistoryRow {
  id: string;
  text: string;
  type: string;
  user: string;
  role: string | null;
  warehouse: string | null;
  database: string | null;
  schema: string | null;
  tag: string;
  state: HistoryState;
  errorCode: string | null;
  errorMessage: string | null;
  startedAtMs: number;
  /** Null while it runs. */
  endedAtMs: number | null;
  elapsedMs: number;
  queuedMs: number;
  rows: number | null;
}

export const HISTORY_COLUMNS =
  'QUERY_ID, QUERY_TEXT, QUERY_TYPE, USER_NAME, ROLE_NAME, WAREHOUSE_NAME, DATABASE_NAME, SCHEMA_NAME, QUERY_TAG, ' +
  'EXECUTION_STATUS, ERROR_CODE, ERROR_MESSAGE, START_TIME, END_TIME, TOTAL_ELAPSED_TIME, ' +
  'QUEUED_OVERLOAD_TIME, ROWS_PRODUCED';

export function historyRow(row: Record<string, string | null>): HistoryRow {
  const state = stateOf(row.execution_status ?? '', row.error_code ?? '');
  const isOver = state !== 'running' && state !== 'queued';
  const endedAtMs = Number(row.end_time ?? 0) * 1000;
  return {
    id: row.query_id ?? '',
    text: row.query_text ?? '',
    type: row.query_type ?? '',
    user: row.user_name ?? '',
    role: row.role_name ?? null,
    warehouse: row.warehouse_name ?? null,
    database: row.database_name ?? null,
    schema: row.schema_name ?? null,
    tag: row.query_tag ?? '',
    state,
    errorCode: row.error_code ?? null,
    errorMessage: row.error_message ?? null,
    startedAtMs: Number(row.start_time ?? 0) * 1000,
    endedAtMs: isOver && endedAtMs > 0 ? endedAtMs : null,
    elapsedMs: Number(row.total_elapsed_time ?? 0),
    queuedMs: Number(row.queued_overload_time ?? 0),
    rows: row.rows_produced == null ? null : Number(row.rows_produced),
  };
}

function stateOf(status: string, code: string): HistoryState {
  if (/QUEUED/.test(status)) return 'queued';
  if (/^(RUNNING|RESUMING|BLOCKED)/.test(status)) return 'running';
  if (status === 'SUCCESS') return 'succeeded';
  return code === CANCELLED || code === TIMED_OUT ? 'cancelled' : 'failed';
}

/** Whether its result may still be read, and makes a grid. */
export function isQuery({ text }: Pick<HistoryRow, 'text'>): boolean {
  return /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(select|with|values|show|desc|describe|list|ls|call|explain|\()/i.test(
    text,
  );
}
