// One object: its name in SQL, its address in the console.
import { sqlPath } from '../api/query';
import { isKind, type ObjectKind } from './objectKinds';

export interface ObjectRef {
  kind: ObjectKind;
  database: string;
  /** Undefined for a database. */
  schema?: string;
  name: string;
  /** Types of the arguments, "(NUMBER, VARCHAR)": functions of one name differ by them. */
  signature?: string;
  comment?: string | null;
}

export function refPath({ kind, database, schema, name, signature = '' }: ObjectRef): string {
  if (kind === 'database') return sqlPath(name);
  if (kind === 'schema') return sqlPath(database, name);
  return sqlPath(database, schema ?? '', name) + signature;
}

export function refId(ref: ObjectRef): string {
  return `${ref.kind} ${refPath(ref)}`;
}

export function refAddress(ref: ObjectRef): string {
  const query = new URLSearchParams({ kind: ref.kind, database: ref.database });
  if (ref.schema !== undefined) query.set('schema', ref.schema);
  query.set('name', ref.name);
  if (ref.signature) query.set('signature', ref.signature);
  return `/data?${query}`;
}

export function refOfQuery(query: URLSearchParams): ObjectRef | null {
  const kind = query.get('kind');
  const name = query.get('name');
  const database = query.get('database');
  if (!isKind(kind) || name === null || database === null) return null;
  const schema = query.get('schema');
  if (schema === null && kind !== 'database' && kind !== 'schema') return null;
  const signature = query.get('signature');
  return {
    kind,
    database,
    name,
    ...(schema === null ? {} : { schema }),
    // It goes into SQL as it is, so anything but a list of types is left out.
    ...(signature !== null && /^\([A-Za-z0-9_ ,()]*\)$/.test(signature) ? { signature } : {}),
  };
}

/** "ADD2(NUMBER, VARCHAR) RETURN NUMBER" of SHOW FUNCTIONS, without name and result. */
export function signatureOf(name: string, shown: string): string {
  const rest = shown.slice(name.length);
  return rest.slice(0, rest.lastIndexOf(') RETURN') + 1);
}
