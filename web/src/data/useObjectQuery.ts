import { runObjects } from '../api/query';
import { type Remote, useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import type { ObjectRef } from './objectRef';

export type Row = Record<string, string | null>;

/** Rows that describe an object, asked with the page's role beside the object. */
export function useObjectQuery(object: ObjectRef, statement: string): Remote<Row[]> {
  const role = useRole();
  const context = { role, database: object.database, schema: object.schema ?? null };
  return useRemote(`${role} ${statement}`, (signal) => runObjects(statement, context, signal));
}
