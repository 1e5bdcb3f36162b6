// The statements that the page shows, as the server finds them.
import { historyUsers, listHistory } from '../api/history';
import type { StatementContext } from '../api/statements';
import { type HistoryRow, historyRow } from './historyRow';
import { type HistoryFilter, historySearch } from './historySearch';

export async function loadHistory(
  filter: HistoryFilter,
  rows: number,
  { role }: StatementContext,
  signal?: AbortSignal,
): Promise<HistoryRow[]> {
  return (await listHistory(historySearch(filter, rows), role, signal)).map(historyRow);
}

const NEWS_MAX = 100;

/** How many statements began since the newest that is shown. */
export async function countNewer(
  filter: HistoryFilter,
  newestMs: number,
  { role }: StatementContext,
  signal?: AbortSignal,
): Promise<number> {
  return (await listHistory(historySearch(filter, NEWS_MAX, newestMs), role, signal)).length;
}

/** The present state of statements, wherever they stand in the history. */
export async function loadStatements(
  handles: readonly string[],
  { role }: StatementContext,
  signal?: AbortSignal,
): Promise<HistoryRow[]> {
  const search = { handles, limit: Math.max(1, handles.length) };
  return (await listHistory(search, role, signal)).map(historyRow);
}

/** Whose statements the role sees. */
export async function loadUsers({ role }: StatementContext, signal?: AbortSignal) {
  return historyUsers(role, signal);
}
