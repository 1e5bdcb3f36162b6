// The catalog as the nodes of a tree. Only what is unfolded has children, so that a tree over many
// thousand tables is made in no time.
import type { CatalogDatabase, CatalogTable } from '../api/catalog';
import { sqlName, sqlPath } from '../api/query';

export interface ObjectNode {
  id: string;
  kind: 'database' | 'schema' | 'table' | 'view' | 'column' | 'note' | 'more';
  name: string;
  database: string;
  detail: string;
  /** Its name in SQL. */
  path: string;
  isOpen: boolean;
  hasChildren: boolean;
  children: ObjectNode[];
}

/** A schema shows so many tables at first, since each row costs, also those out of sight. */
export const SHOWN_AT_ONCE = 400;

interface Wish {
  unfolded: ReadonlySet<string>;
  /** In lower case. */
  wanted: string;
  /** How many tables of a schema are shown, by its id, where it is not the usual number. */
  shown: ReadonlyMap<string, number>;
}

export function objectNodes(
  databases: readonly CatalogDatabase[],
  unfolded: ReadonlySet<string>,
  text: string,
  shown: ReadonlyMap<string, number>,
): ObjectNode[] {
  const wanted = text.trim().toLowerCase();
  return databases.flatMap((database) => {
    const node = databaseNode(database, { unfolded, wanted, shown });
    const isFound = wanted === '' || node.children.length > 0 || includes(database.name, wanted);
    return isFound ? [node] : [];
  });
}

const includes = (name: string, wanted: string) => name.toLowerCase().includes(wanted);

function databaseNode(
  { name, schemas, error, isLoading }: CatalogDatabase,
  wish: Wish,
): ObjectNode {
  const { unfolded, wanted } = wish;
  const id = sqlName(name);
  const isSearched = wanted !== '' && schemas !== undefined;
  const isOpen = unfolded.has(id) || isSearched;
  const note = error ?? (isLoading ? 'Loading …' : null);
  // Databases of no tables show their schemas; the one that describes the others is no news.
  const shown = (schemas ?? []).filter(
    (schema) => schema.name !== 'INFORMATION_SCHEMA' || schema.tables.length > 0,
  );
  const children = shown.flatMap((schema) => {
    const node = schemaNode(name, schema.name, schema.tables, wish);
    return wanted === '' || node.children.length > 0 || includes(schema.name, wanted) ? [node] : [];
  });
  const notes: ObjectNode[] = note && !schemas ? [noteNode(id, note)] : [];
  return {
    id,
    kind: 'database',
    name,
    database: name,
    detail: '',
    path: id,
    isOpen,
    hasChildren: true,
    children: isOpen ? [...notes, ...children] : [],
  };
}

function schemaNode(
  database: string,
  name: string,
  tables: readonly CatalogTable[],
  { unfolded, wanted, shown }: Wish,
): ObjectNode {
  const id = sqlPath(database, name);
  const found = wanted === '' ? tables : tables.filter((table) => isFound(table, wanted));
  const isOpen = unfolded.has(id) || (wanted !== '' && found.length > 0);
  const most = shown.get(id) ?? SHOWN_AT_ONCE;
  const children = isOpen
    ? found.slice(0, most).map((table) => tableNode(table, unfolded, wanted))
    : [];
  if (isOpen && found.length > most) {
    const words = `Show more of ${found.length.toLocaleString('en')}`;
    children.push({ ...noteNode(id, words), id: `${id} more`, kind: 'more' });
  }
  return {
    id,
    kind: 'schema',
    name,
    database,
    detail: tables.length.toLocaleString('en'),
    path: id,
    isOpen,
    hasChildren: tables.length > 0,
    children,
  };
}

function isFound({ name, columns }: CatalogTable, wanted: string): boolean {
  return includes(name, wanted) || columns.some((column) => includes(column.name, wanted));
}

function tableNode(table: CatalogTable, unfolded: ReadonlySet<string>, wanted: string): ObjectNode {
  const id = sqlPath(table.database, table.schema, table.name);
  const byColumn = wanted !== '' && !includes(table.name, wanted);
  const isOpen = unfolded.has(id) || byColumn;
  const columns = byColumn
    ? table.columns.filter((column) => includes(column.name, wanted))
    : table.columns;
  return {
    id,
    kind: table.kind,
    name: table.name,
    database: table.database,
    detail: '',
    path: id,
    isOpen,
    hasChildren: table.columns.length > 0,
    children: isOpen
      ? columns.map((column) => ({
          id: `${id}.${sqlName(column.name)}`,
          kind: 'column' as const,
          name: column.name,
          database: table.database,
          detail: column.type,
          path: sqlName(column.name),
          isOpen: false,
          hasChildren: false,
          children: [],
        }))
      : [],
  };
}

function noteNode(id: string, name: string): ObjectNode {
  const base = {
    database: '',
    detail: '',
    path: '',
    isOpen: false,
    hasChildren: false,
    children: [],
  };
  return { ...base, id: `${id} note`, kind: 'note', name };
}
