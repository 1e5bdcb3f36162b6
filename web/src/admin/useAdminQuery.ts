import { runObjects } from '../api/query';
import { type Remote, useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';

export type Row = Record<string, string | null>;

export function useAdminQuery(statement: string | null): Remote<Row[]> {
  const role = useRole();
  return useRemote(statement && `${role} ${statement}`, (signal) =>
    runObjects(statement ?? '', { role }, signal),
  );
}

/** Seconds since the epoch as the wire has them, as a day and time. */
export function shownTimestamp(seconds: string | null | undefined): string {
  if (seconds == null || seconds === '') return '';
  const date = new Date(Number(seconds.split(' ')[0]) * 1000);
  return `${date.toLocaleDateString('en-CA')} ${date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
}
