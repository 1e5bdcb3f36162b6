// Which views read an object, and what a view reads itself. The server knows the references of one
// view at a time, so those whose text holds the name are asked.
import { runObjects, sqlName, sqlPath, sqlText } from '../api/query';
import type { StatementContext } from '../api/statements';
import { type ObjectRef, refPath } from './objectRef';

const DEPTH_MAX = 4;
const VIEWS_MAX = 60;

export interface LineageNode {
  ref: ObjectRef;
  inside: LineageNode[];
}

/** What a view or semantic view reads, and what that reads in turn. */
export async function sourcesOf(
  ref: ObjectRef,
  context: StatementContext,
  signal: AbortSignal,
  depth = 1,
): Promise<LineageNode[]> {
  const found =
    ref.kind === 'view'
      ? await referencesOf(ref, context, signal)
      : ref.kind === 'semantic view'
        ? await tablesOfModel(ref, context, signal)
        : [];
  return Promise.all(
    found.map(async (source) => ({
      ref: source,
      inside:
        depth < DEPTH_MAX
          ? // A view may read what its reader's role does not see.
            await sourcesOf(source, context, signal, depth + 1).catch(() => [])
          : [],
    })),
  );
}

async function referencesOf(
  { database, schema = '', name }: ObjectRef,
  context: StatementContext,
  signal: AbortSignal,
): Promise<ObjectRef[]> {
  const rows = await runObjects(
    `SELECT * FROM TABLE(GET_OBJECT_REFERENCES(DATABASE_NAME => ${sqlText(sqlName(database))}, ` +
      `SCHEMA_NAME => ${sqlText(sqlName(schema))}, OBJECT_NAME => ${sqlText(sqlName(name))}))`,
    context,
    signal,
  );
  return rows.map((row) => ({
    kind: row.referenced_object_type?.includes('VIEW') ? 'view' : 'table',
    database: row.referenced_database_name ?? '',
    schema: row.referenced_schema_name ?? '',
    name: row.referenced_object_name ?? '',
  }));
}

async function tablesOfModel(ref: ObjectRef, context: StatementContext, signal: AbortSignal) {
  const rows = await runObjects(`DESC SEMANTIC VIEW ${refPath(ref)}`, context, signal);
  const tables = new Map<string, ObjectRef>();
  for (const { object_kind, object_name, property, property_value } of rows) {
    if (object_kind !== 'TABLE' || !property?.startsWith('BASE_TABLE_')) continue;
    const table = tables.get(object_name ?? '') ?? {
      kind: 'table' as const,
      database: '',
      schema: '',
      name: '',
    };
    if (property === 'BASE_TABLE_DATABASE_NAME') table.database = property_value ?? '';
    if (property === 'BASE_TABLE_SCHEMA_NAME') table.schema = property_value ?? '';
    if (property === 'BASE_TABLE_NAME') table.name = property_value ?? '';
    tables.set(object_name ?? '', table);
  }
  const byPath = new Map([...tables.values()].map((table) => [refPath(table), table]));
  return [...byPath.values()];
}

export interface Readers {
  nodes: LineageNode[];
  /** Set if there were more views to ask than are asked. */
  wasCut: boolean;
}

/** The views and semantic views that read an object, and those that read these. */
export async function readersOf(
  ref: ObjectRef,
  databases: readonly string[],
  context: StatementContext,
  signal: AbortSignal,
): Promise<Readers> {
  const models = await modelsOf(databases, context, signal);
  const seen = new Set([refPath(ref)]);
  let asked = 0;
  let wasCut = false;
  const readers = async (target: ObjectRef, depth: number): Promise<LineageNode[]> => {
    const candidates = await candidatesFor(target, databases, context, signal);
    const nodes: LineageNode[] = [];
    for (const view of candidates) {
      if (seen.has(refPath(view))) continue;
      if (asked >= VIEWS_MAX) {
        wasCut = true;
        break;
      }
      asked += 1;
      const sources = await referencesOf(view, context, signal).catch(() => []);
      if (!sources.some((source) => refPath(source) === refPath(target))) continue;
      seen.add(refPath(view));
      nodes.push({ ref: view, inside: depth < DEPTH_MAX ? await readers(view, depth + 1) : [] });
    }
    const path = refPath(target);
    for (const { model, tables } of models) {
      if (tables.includes(path)) nodes.push({ ref: model, inside: [] });
    }
    return nodes;
  };
  const nodes = await readers(ref, 1);
  return { nodes, wasCut };
}

async function candidatesFor(
  { name }: ObjectRef,
  databases: readonly string[],
  context: StatementContext,
  signal: AbortSignal,
): Promise<ObjectRef[]> {
  const lists = await Promise.all(
    databases.map(async (database) => {
      const rows = await runObjects(
        `SELECT TABLE_SCHEMA, TABLE_NAME FROM ${sqlName(database)}.INFORMATION_SCHEMA.VIEWS ` +
          `WHERE CONTAINS(LOWER(VIEW_DEFINITION), ${sqlText(name.toLowerCase())}) LIMIT ${VIEWS_MAX}`,
        context,
        signal,
      ).catch(() => []);
      return rows.map(
        ({ table_schema, table_name }): ObjectRef => ({
          kind: 'view',
          database,
          schema: table_schema ?? '',
          name: table_name ?? '',
        }),
      );
    }),
  );
  return lists.flat();
}

const MODELS_MAX = 20;

async function modelsOf(
  databases: readonly string[],
  context: StatementContext,
  signal: AbortSignal,
): Promise<{ model: ObjectRef; tables: string[] }[]> {
  const lists = await Promise.all(
    databases.map((database) =>
      runObjects(`SHOW SEMANTIC VIEWS IN DATABASE ${sqlPath(database)}`, context, signal).catch(
        () => [],
      ),
    ),
  );
  const models = lists.flat().map(
    (row): ObjectRef => ({
      kind: 'semantic view',
      database: row.database_name ?? '',
      schema: row.schema_name ?? '',
      name: row.name ?? '',
    }),
  );
  return Promise.all(
    models.slice(0, MODELS_MAX).map(async (model) => {
      const tables = await tablesOfModel(model, context, signal).catch(() => []);
      return { model, tables: tables.map(refPath) };
    }),
  );
}
