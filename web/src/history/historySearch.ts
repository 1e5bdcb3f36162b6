// What the page asks the history for.
import type { HistorySearch } from '../api/history';

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

const HOUR_MS = 3_600_000;
/** The server lists no more of them at once. */
export const LISTED_MAX = 10_000;

export function historySearch(
  { user, state, hours, text, withOwn }: HistoryFilter,
  rows: number,
  newerThanMs?: number,
): HistorySearch {
  const fromMs = Date.now() - hours * HOUR_MS;
  return {
    user,
    state: state === 'all' ? null : state,
    text: text.trim(),
    fromMs: newerThanMs === undefined ? fromMs : Math.max(fromMs, newerThanMs + 1),
    withClients: withOwn,
    limit: Math.min(rows, LISTED_MAX),
  };
}
