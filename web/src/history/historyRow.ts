// One statement of the history, as the page shows it.
import type { HistoryEntry, HistoryState } from '../api/history';

export type { HistoryState };

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

export function historyRow(entry: HistoryEntry): HistoryRow {
  const { createdOn, finishedOn } = entry;
  return {
    id: entry.statementHandle,
    text: entry.text,
    type: entry.queryType,
    user: entry.user ?? '',
    role: entry.role,
    warehouse: entry.warehouse,
    database: entry.database,
    schema: entry.schema,
    tag: entry.queryTag,
    state: entry.state,
    errorCode: entry.code,
    errorMessage: entry.message,
    startedAtMs: createdOn,
    endedAtMs: finishedOn,
    elapsedMs: finishedOn === null ? 0 : Math.max(0, finishedOn - createdOn),
    queuedMs: entry.queuedMs,
    rows: entry.rows,
  };
}

/** Whether its result may still be read, and makes a grid. */
export function isQuery({ text }: Pick<HistoryRow, 'text'>): boolean {
  return /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(select|with|values|show|desc|describe|list|ls|call|explain|\()/i.test(
    text,
  );
}
