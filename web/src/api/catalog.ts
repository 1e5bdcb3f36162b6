// Databases, schemas, tables and columns that the role sees: for trees and completion. A database is
// read once, when it is first asked for; `refreshCatalog` reads again after DDL.
import { create } from 'zustand';
import { messageOf } from './failure';
import { runObjects, sqlName } from './query';

export interface CatalogColumn {
  name: string;
  type: string;
  comment: string | null;
}

export interface CatalogTable {
  database: string;
  schema: string;
  name: string;
  kind: 'table' | 'view';
  columns: CatalogColumn[];
}

export interface CatalogSchema {
  name: string;
  tables: CatalogTable[];
}

export interface CatalogDatabase {
  name: string;
  /** Undefined: not asked for yet. */
  schemas?: CatalogSchema[];
  error?: string;
  isLoading?: boolean;
}

export interface Catalog {
  role: string | null;
  databases: CatalogDatabase[] | null;
  /** Every schema that the role sees, also of databases that were not opened; each INFORMATION_SCHEMA last. */
  schemas: { database: string; schema: string }[];
  warehouses: string[];
  error: string | null;
}

export const useCatalog = create<Catalog>(() => ({
  role: null,
  databases: null,
  schemas: [],
  warehouses: [],
  error: null,
}));

/** Reads the names of databases and warehouses, if this role's are not there yet. */
export async function openCatalog(role: string | null): Promise<void> {
  const { role: before, databases } = useCatalog.getState();
  if (databases !== null && before === role) return;
  useCatalog.setState({ role, databases: null, error: null });
  await readDatabases(role);
}

async function readDatabases(role: string | null): Promise<void> {
  try {
    const [databases, schemas, warehouses] = await Promise.all([
      runObjects('SHOW TERSE DATABASES', { role }),
      runObjects('SHOW TERSE SCHEMAS IN ACCOUNT', { role }),
      runObjects('SHOW WAREHOUSES', { role }),
    ]);
    if (useCatalog.getState().role !== role) return;
    const known = new Map((useCatalog.getState().databases ?? []).map((one) => [one.name, one]));
    useCatalog.setState({
      databases: databases.map(({ name }) => known.get(name ?? '') ?? { name: name ?? '' }),
      schemas: schemas
        .map(({ database_name, name }) => ({ database: database_name ?? '', schema: name ?? '' }))
        .sort((one, other) => rankOf(one.schema) - rankOf(other.schema)),
      warehouses: warehouses.map(({ name }) => name ?? ''),
      error: null,
    });
  } catch (error) {
    useCatalog.setState({ error: messageOf(error) });
  }
}

/** True for the schema that every database has: few people look for it, so it stands behind the others. */
export function isInformationSchema(name: string): boolean {
  return name === 'INFORMATION_SCHEMA';
}

const rankOf = (schema: string) => (isInformationSchema(schema) ? 1 : 0);

const underWay = new Map<string, Promise<void>>();

/** Reads a database unless it has been read; ends when it is there. */
export function openDatabase(name: string): Promise<void> {
  const { role, databases } = useCatalog.getState();
  const database = databases?.find((one) => one.name === name);
  if (!database || database.schemas) return Promise.resolve();
  const key = JSON.stringify([role, name]);
  const reading = underWay.get(key) ?? readDatabase(name).finally(() => underWay.delete(key));
  underWay.set(key, reading);
  return reading;
}

async function readDatabase(name: string): Promise<void> {
  const { role } = useCatalog.getState();
  change(role, name, { isLoading: true });
  try {
    const schemas = await schemasOf(name, role);
    change(role, name, { schemas, isLoading: false, error: undefined });
  } catch (error) {
    change(role, name, { isLoading: false, error: messageOf(error) });
  }
}

/** Reads what was opened again, while the old stays to be seen. */
export async function refreshCatalog(): Promise<void> {
  const { role, databases } = useCatalog.getState();
  const opened = (databases ?? []).filter((database) => database.schemas !== undefined);
  await readDatabases(role);
  await Promise.all(opened.map(({ name }) => readDatabase(name)));
}

function change(role: string | null, name: string, changes: Partial<CatalogDatabase>): void {
  useCatalog.setState((before) => {
    if (before.role !== role || before.databases === null) return before;
    const databases = before.databases.map((one) =>
      one.name === name ? { ...one, ...changes } : one,
    );
    return { databases };
  });
}

async function schemasOf(database: string, role: string | null): Promise<CatalogSchema[]> {
  const within = `${sqlName(database)}.INFORMATION_SCHEMA`;
  // Not TABLES: it counts the rows of every table.
  const [schemas, views, columns] = await Promise.all([
    runObjects(`SELECT SCHEMA_NAME FROM ${within}.SCHEMATA ORDER BY 1`, { role }),
    runObjects(`SELECT TABLE_SCHEMA, TABLE_NAME FROM ${within}.VIEWS`, { role }),
    runObjects(
      `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COMMENT FROM ${within}.COLUMNS ` +
        'ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION',
      { role },
    ),
  ]);
  const found = new Map<string, Map<string, CatalogTable>>();
  for (const { schema_name } of schemas) found.set(schema_name ?? '', new Map());
  const tableOf = (schema: string, name: string): CatalogTable => {
    const inSchema = found.get(schema) ?? new Map<string, CatalogTable>();
    found.set(schema, inSchema);
    const table = inSchema.get(name) ?? { database, schema, name, kind: 'table', columns: [] };
    inSchema.set(name, table);
    return table;
  };
  for (const { table_schema, table_name } of views) {
    tableOf(table_schema ?? '', table_name ?? '').kind = 'view';
  }
  for (const { table_schema, table_name, column_name, data_type, comment } of columns) {
    const { columns: known } = tableOf(table_schema ?? '', table_name ?? '');
    known.push({ name: column_name ?? '', type: data_type ?? '', comment: comment ?? null });
  }
  return [...found].map(([name, tables]) => ({
    name,
    tables: [...tables.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
  }));
}
