// The list as it was loaded. Statements that run are looked at again in their places; newer ones are
// only counted, so that the list does not jump under the reader.
import { useEffect, useState } from 'react';
import { announce } from '../components/announce';
import { type Remote, useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { countNewer, loadHistory, loadStatements } from './historyQuery';
import type { HistoryRow } from './historyRow';
import type { HistoryFilter } from './historySearch';

const LOOK_MS = 6_000;

export interface HistoryList extends Remote<HistoryRow[]> {
  newer: number;
}

export function useHistory(filter: HistoryFilter | null, rowsMax: number): HistoryList {
  const role = useRole();
  const key = filter && `${role} ${JSON.stringify(filter)} ${rowsMax}`;
  const remote = useRemote(key, async (signal) =>
    filter ? loadHistory(filter, rowsMax, { role }, signal) : [],
  );
  const { value } = remote;
  const [later, setLater] = useState<Later>({ of: undefined, newer: 0, changed: new Map() });
  useEffect(() => {
    if (!filter || !value) return;
    const abort = new AbortController();
    let changed: ReadonlyMap<string, HistoryRow> = new Map();
    let told = 0;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      const rows = value.map((row) => changed.get(row.id) ?? row);
      const running = rows.filter(({ state }) => state === 'running' || state === 'queued');
      const context = { role };
      const [newer, again] = await Promise.all([
        countNewer(filter, value[0]?.startedAtMs ?? 0, context, abort.signal),
        running.length > 0
          ? loadStatements(
              running.map(({ id }) => id),
              context,
              abort.signal,
            )
          : [],
      ]);
      changed = new Map([...changed, ...again.map((row) => [row.id, row] as const)]);
      if (newer > 0 && told === 0) announce('There are new statements.');
      told = newer;
      setLater({ of: value, newer, changed });
    };
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [filter, value, role]);
  const isCurrent = later.of === value;
  return {
    ...remote,
    value: isCurrent ? value?.map((row) => later.changed.get(row.id) ?? row) : value,
    newer: isCurrent ? later.newer : 0,
  };
}

interface Later {
  of: HistoryRow[] | undefined;
  newer: number;
  changed: ReadonlyMap<string, HistoryRow>;
}
