// What lies in databases and schemas, as SHOW and INFORMATION_SCHEMA list it.
import { runObjects, sqlName, sqlPath, sqlText } from '../api/query';
import type { ObjectKind } from './objectKinds';
import { type ObjectRef, signatureOf } from './objectRef';

export async function loadDatabases(role: string | null, signal?: AbortSignal) {
  const rows = await runObjects('SHOW DATABASES', { role }, signal);
  return rows.map(
    ({ name, comment }): ObjectRef => ({
      kind: 'database',
      database: name ?? '',
      name: name ?? '',
      comment: comment ?? null,
    }),
  );
}

export async function loadSchemas(database: string, role: string | null, signal?: AbortSignal) {
  const rows = await runObjects(
    `SHOW SCHEMAS IN DATABASE ${sqlName(database)}`,
    { role, database },
    signal,
  );
  // The schema that describes the others comes last.
  const own = (row: Record<string, string | null>) => row.name === 'INFORMATION_SCHEMA';
  const sorted = [...rows.filter((row) => !own(row)), ...rows.filter(own)];
  return sorted.map(
    ({ name, comment }): ObjectRef => ({
      kind: 'schema',
      database,
      name: name ?? '',
      comment: comment ?? null,
    }),
  );
}

const SHOWN: readonly [ObjectKind, string][] = [
  ['semantic view', 'SEMANTIC VIEWS'],
  ['stage', 'STAGES'],
  ['function', 'USER FUNCTIONS'],
  ['procedure', 'PROCEDURES'],
  ['sequence', 'SEQUENCES'],
  ['file format', 'FILE FORMATS'],
  ['stream', 'STREAMS'],
  ['task', 'TASKS'],
  ['tag', 'TAGS'],
  ['masking policy', 'MASKING POLICIES'],
  ['row access policy', 'ROW ACCESS POLICIES'],
];

export interface SchemaObjects {
  objects: ObjectRef[];
  /** Kinds that could not be listed, with the server's words. */
  failures: string[];
}

/** Everything in a schema. A kind that cannot be listed does not hide the others. */
export async function loadSchemaObjects(
  database: string,
  schema: string,
  role: string | null,
  signal?: AbortSignal,
): Promise<SchemaObjects> {
  const context = { role, database };
  const lists = [
    tablesOf(database, schema, role, signal),
    ...SHOWN.map(async ([kind, words]) => {
      const statement = `SHOW ${words} IN SCHEMA ${sqlPath(database, schema)}`;
      const rows = await runObjects(statement, context, signal);
      return rows.map((row) => refOf(kind, database, schema, row));
    }),
  ];
  const settled = await Promise.allSettled(lists);
  signal?.throwIfAborted();
  const failures = settled.flatMap((one) =>
    one.status === 'rejected' ? [one.reason instanceof Error ? one.reason.message : 'failed'] : [],
  );
  if (failures.length === settled.length) throw new Error(failures[0]);
  const objects = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return { objects, failures };
}

/** Comments are asked of so many tables: the server counts the rows of each that it describes. */
const COMMENTED_MAX = 500;

async function tablesOf(
  database: string,
  schema: string,
  role: string | null,
  signal?: AbortSignal,
) {
  const within = `${sqlName(database)}.INFORMATION_SCHEMA`;
  const where = `WHERE TABLE_SCHEMA = ${sqlText(schema)}`;
  const ask = (statement: string) => runObjects(statement, { role, database }, signal);
  const [tables, views] = await Promise.all([
    ask(`SELECT DISTINCT TABLE_NAME AS NAME FROM ${within}.COLUMNS ${where} ORDER BY 1`),
    ask(`SELECT TABLE_NAME AS NAME FROM ${within}.VIEWS ${where}`),
  ]);
  const commented =
    tables.length > COMMENTED_MAX
      ? []
      : await ask(`SELECT TABLE_NAME AS NAME, COMMENT FROM ${within}.TABLES ${where}`);
  const isView = new Set(views.map(({ name }) => name));
  const comments = new Map(commented.map(({ name, comment }) => [name, comment]));
  return tables.map(({ name = null }) =>
    refOf(isView.has(name) ? 'view' : 'table', database, schema, {
      name,
      comment: comments.get(name) ?? null,
    }),
  );
}

function refOf(
  kind: ObjectKind,
  database: string,
  schema: string,
  row: Record<string, string | null>,
): ObjectRef {
  const name = row.name ?? '';
  const ref: ObjectRef = { kind, database, schema, name, comment: row.comment ?? null };
  if (kind === 'function' || kind === 'procedure') {
    ref.signature = signatureOf(name, row.arguments ?? '');
  }
  return ref;
}

const FOUND_MAX = 200;

/** Objects anywhere in a database whose name, or a column's name, holds the text. */
export async function searchDatabase(
  database: string,
  text: string,
  role: string | null,
  signal?: AbortSignal,
): Promise<ObjectRef[]> {
  const within = `${sqlName(database)}.INFORMATION_SCHEMA`;
  const wanted = sqlText(text.toLowerCase());
  const part = (kind: string, table: string, schema: string, name: string, signature = 'NULL') =>
    `SELECT ${kind} AS KIND, ${schema} AS SCHEMA_NAME, ${name} AS NAME, ${signature} AS SIGNATURE ` +
    `FROM ${within}.${table} WHERE CONTAINS(LOWER(${name}), ${wanted})`;
  const tableKind = "IFF(TABLE_TYPE LIKE '%VIEW%', 'view', 'table')";
  const parts = [
    part(tableKind, 'TABLES', 'TABLE_SCHEMA', 'TABLE_NAME'),
    part("'function'", 'FUNCTIONS', 'FUNCTION_SCHEMA', 'FUNCTION_NAME', 'ARGUMENT_SIGNATURE'),
    part("'procedure'", 'PROCEDURES', 'PROCEDURE_SCHEMA', 'PROCEDURE_NAME', 'ARGUMENT_SIGNATURE'),
    part("'stage'", 'STAGES', 'STAGE_SCHEMA', 'STAGE_NAME'),
    part("'sequence'", 'SEQUENCES', 'SEQUENCE_SCHEMA', 'SEQUENCE_NAME'),
    part("'file format'", 'FILE_FORMATS', 'FILE_FORMAT_SCHEMA', 'FILE_FORMAT_NAME'),
    `SELECT DISTINCT 'table', TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM ${within}.COLUMNS ` +
      `WHERE CONTAINS(LOWER(COLUMN_NAME), ${wanted})`,
  ];
  const rows = await runObjects(
    `${parts.join('\nUNION ALL\n')}\nLIMIT ${FOUND_MAX}`,
    { role, database },
    signal,
  );
  return rows.map(({ kind, schema_name, name, signature }): ObjectRef => {
    const isRoutine = kind === 'function' || kind === 'procedure';
    return {
      kind: kind as ObjectKind,
      database,
      schema: schema_name ?? '',
      name: name ?? '',
      ...(isRoutine ? { signature: typesOf(signature ?? '()') } : {}),
      comment: isRoutine ? null : signature,
    };
  });
}

/** "(A NUMBER, B VARCHAR)" without the names of the arguments. */
export function typesOf(signature: string): string {
  const inside = signature.slice(1, -1).trim();
  if (inside === '') return '()';
  const types = inside
    .split(/,(?![^(]*\))/)
    .map((argument) => argument.trim().replace(/^("(?:[^"]|"")*"|\S+)\s+/, ''));
  return `(${types.join(', ')})`;
}
