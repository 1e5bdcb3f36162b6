// What ran, found and summed up by the server, however much of it there is.
import { send } from './http';

export type HistoryState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface HistoryEntry {
  statementHandle: string;
  text: string;
  queryType: string;
  state: HistoryState;
  code: string | null;
  message: string | null;
  user: string | null;
  role: string;
  warehouse: string | null;
  database: string | null;
  schema: string | null;
  queryTag: string;
  createdOn: number;
  finishedOn: number | null;
  queuedMs: number;
  rows: number | null;
}

export interface HistorySearch {
  user?: string | null;
  state?: string | null;
  text?: string;
  fromMs?: number;
  handles?: readonly string[];
  withClients?: boolean;
  limit?: number;
}

export interface LoadSlice {
  beginsOn: number;
  warehouse: string;
  statements: number;
  elapsedMs: number;
  queuedMs: number;
}

type Role = string | null | undefined;

export async function listHistory(
  search: HistorySearch,
  role: Role,
  signal?: AbortSignal,
): Promise<HistoryEntry[]> {
  const { user, state, text, fromMs, handles, withClients, limit } = search;
  const parameters = {
    user,
    state,
    text,
    from: fromMs === undefined ? null : String(Math.round(fromMs)),
    handles: handles?.join(','),
    clientGenerated: withClients ? 'true' : null,
    limit: limit === undefined ? null : String(limit),
    role,
  };
  const body = await ask<{ statements: HistoryEntry[] }>('', parameters, signal);
  return body.statements;
}

/** Whose statements the role sees. */
export async function historyUsers(role: Role, signal?: AbortSignal): Promise<string[]> {
  return (await ask<{ users: string[] }>('/users', { role }, signal)).users;
}

/** What the warehouses did; slices in which one did nothing are left out. */
export async function warehouseLoad(
  fromMs: number,
  sliceSeconds: number,
  role: Role,
  signal?: AbortSignal,
): Promise<LoadSlice[]> {
  const parameters = { from: String(Math.round(fromMs)), slice: String(sliceSeconds), role };
  return (await ask<{ slices: LoadSlice[] }>('/load', parameters, signal)).slices;
}

async function ask<T>(
  path: string,
  parameters: Record<string, string | null | undefined>,
  signal?: AbortSignal,
): Promise<T> {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => !!pair[1]);
  const response = await send(`/api/v2/history${path}?${new URLSearchParams(given)}`, { signal });
  return (await response.json()) as T;
}
