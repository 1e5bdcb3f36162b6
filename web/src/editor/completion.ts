// Completion of keywords, functions, tables, columns and aliases, from the catalog in memory: no
// letter that is typed asks the server.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type CatalogTable, isInformationSchema, openDatabase, useCatalog } from '../api/catalog';
import { sqlName } from '../api/query';
import type { StatementContext } from '../api/statements';
import { commonTables } from '../sql/commonTables';
import { COMMON_KEYWORDS, KEYWORDS, TYPES } from '../sql/dialect';
import { FUNCTION_ARGUMENTS } from '../sql/functionArguments';
import { FUNCTION_NAMES } from '../sql/functionNames';
import { type TableReference, tableReferences } from '../sql/references';
import { statementAt } from '../sql/split';
import { nameOf } from '../sql/useStatement';
import { statementsOf } from './statementGutter';

const PATH =
  /(?:(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*")\.)*(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*"?)?$/u;
const NO_COMPLETION = /comment|string/i;

export function completeSql(contextNow: () => StatementContext) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos);
    const typed = PATH.exec(line.text.slice(0, context.pos - line.from))?.[0] ?? '';
    if (typed === '' && !context.explicit) return null;
    if (isInsideText(context)) return null;
    const statement = statementText(context);
    const parts = typed.match(/"(?:[^"]|"")*"?|[^."]+/g) ?? [];
    const isBehindDot = typed.includes('.');
    const last = isBehindDot && typed.endsWith('.') ? '' : (parts.at(-1) ?? '');
    const before = (last === '' ? parts : parts.slice(0, -1)).map(nameOf);
    await databasesOf(statement, before, contextNow());
    const options = isBehindDot
      ? membersOf(before, statement, contextNow())
      : namesFor(statement, contextNow(), nameOf(last));
    const inCase = (last === '' ? isLower(statement) : isLower(last)) ? lower : same;
    return {
      from: context.pos - last.length,
      options: options.map(inCase),
      validFor: /^[\p{L}\p{N}_$"]*$/u,
    };
  };
}

/** Reads the databases that are named, if nobody has opened them yet. */
async function databasesOf(statement: string, path: string[], context: StatementContext) {
  const named = tableReferences(statement).flatMap(({ parts }) =>
    parts.length === 3 ? parts : [],
  );
  const wanted = new Set([context.database, path[0], ...named]);
  const closed = (useCatalog.getState().databases ?? []).filter(
    ({ name, schemas }) => schemas === undefined && wanted.has(name),
  );
  await Promise.all(closed.map(({ name }) => openDatabase(name)));
}

function isInsideText(context: CompletionContext): boolean {
  const before = context.tokenBefore(['LineComment', 'BlockComment', 'String']);
  return before !== null && NO_COMPLETION.test(before.type.name) && before.to >= context.pos;
}

function statementText(context: CompletionContext): string {
  const { doc } = context.state;
  return statementAt(statementsOf(doc), doc.toString(), context.pos)?.text ?? '';
}

const isLower = (text: string) => !/\p{Lu}/u.test(text.replaceAll(/"[^"]*"|'[^']*'/g, ''));
const same = (completion: Completion) => completion;

function lower(completion: Completion): Completion {
  if (completion.label.startsWith('"')) return completion;
  const applied = typeof completion.apply === 'string' ? completion.apply.toLowerCase() : undefined;
  return {
    ...completion,
    label: completion.label.toLowerCase(),
    ...(applied ? { apply: applied } : {}),
  };
}

/** What stands behind `a.` or `a.b.`: columns of a table, tables of a schema, schemas of a database. */
function membersOf(path: string[], statement: string, context: StatementContext): Completion[] {
  const [first = ''] = path;
  const reference = path.length === 1 ? referenceCalled(first, statement) : undefined;
  const common = commonColumns(reference?.parts ?? path, statement);
  if (common !== null) return common;
  const table = reference ? tableAt(reference.parts, context) : tableAt(path, context);
  if (reference || path.length === 3) return table ? columnsOf(table) : [];
  const own = context.database ?? '';
  const schema = path.length === 1 ? tablesIn(own, first) : tablesIn(first, path[1] ?? '');
  const database = path.length === 1 ? schemasIn(first) : [];
  return [...(table ? columnsOf(table) : []), ...schema.map(tableOption), ...database];
}

/** The columns of a table of WITH, which hides others of its name; null if there is none. */
function commonColumns(parts: string[], statement: string, boost = 0): Completion[] | null {
  const found = commonTables(statement).find(({ name }) => parts.length === 1 && name === parts[0]);
  if (found === undefined) return null;
  return found.columns.map((name) => ({
    label: sqlName(name),
    type: 'property',
    detail: `in ${sqlName(found.name)}`,
    boost,
  }));
}

function referenceCalled(name: string, statement: string): TableReference | undefined {
  return tableReferences(statement).find(({ alias }) => alias === name);
}

function namesFor(statement: string, context: StatementContext, typed: string): Completion[] {
  const references = tableReferences(statement);
  const columns = references.flatMap(({ parts, alias }) => {
    const common = commonColumns(parts, statement, 3);
    if (common !== null) return common;
    const table = tableAt(parts, context);
    return table ? columnsOf(table, alias, 3) : [];
  });
  // What is being typed behind FROM is a name itself.
  const aliases = references
    .filter(({ alias }) => alias !== typed)
    .map(({ alias }): Completion => ({ label: sqlName(alias), type: 'variable', boost: 2 }));
  const common = commonTables(statement).map(
    ({ name }): Completion => ({
      label: sqlName(name),
      type: 'class',
      detail: 'in WITH',
      boost: 2,
    }),
  );
  const { database, schema } = context;
  const tables = tablesIn(database ?? '', schema ?? '').map(tableOption);
  const schemas = schemasIn(database ?? '');
  return unique([
    ...columns,
    ...aliases,
    ...common,
    ...tables,
    ...schemas,
    ...databases(),
    ...FIXED,
  ]);
}

function unique(options: Completion[]): Completion[] {
  const seen = new Set<string>();
  return options.filter(({ label, type }) => {
    const key = `${type} ${label}`;
    return !seen.has(key) && seen.add(key);
  });
}

function columnsOf(table: CatalogTable, owner = '', boost = 0): Completion[] {
  return table.columns.map(({ name, type, comment }) => ({
    label: sqlName(name),
    type: 'property',
    detail: owner ? `${type} · ${owner}` : type,
    ...(comment ? { info: comment } : {}),
    boost,
  }));
}

function tableOption({ name, kind }: CatalogTable): Completion {
  return { label: sqlName(name), type: 'class', detail: kind, boost: 1 };
}

function databases(): Completion[] {
  const { databases } = useCatalog.getState();
  return (databases ?? []).map(({ name }) => ({
    label: sqlName(name),
    type: 'namespace',
    detail: 'database',
  }));
}

function schemasIn(database: string): Completion[] {
  return schemasOf(database).map(({ name }) => ({
    label: sqlName(name),
    type: 'namespace',
    detail: 'schema',
    boost: isInformationSchema(name) ? -1 : 0,
  }));
}

function tablesIn(database: string, schema: string): CatalogTable[] {
  return schemasOf(database).find(({ name }) => name === schema)?.tables ?? [];
}

function schemasOf(name: string) {
  return useCatalog.getState().databases?.find((one) => one.name === name)?.schemas ?? [];
}

function tableAt(parts: string[], context: StatementContext): CatalogTable | undefined {
  const [name = '', schema = context.schema ?? '', database = context.database ?? ''] = [
    ...parts,
  ].reverse();
  return tablesIn(database, schema).find((table) => table.name === name);
}

const FIXED: Completion[] = [
  ...KEYWORDS.map((word): Completion => {
    const boost = COMMON_KEYWORDS.has(word) ? 0 : -2;
    return { label: word.toUpperCase(), type: 'keyword', boost };
  }),
  ...TYPES.map((word): Completion => ({ label: word.toUpperCase(), type: 'type', boost: -2 })),
  ...FUNCTION_NAMES.map((name): Completion => {
    const detail = FUNCTION_ARGUMENTS.get(name);
    return {
      label: name,
      type: 'function',
      apply: `${name}(`,
      boost: detail ? -1 : -3,
      ...(detail ? { detail } : {}),
    };
  }),
];
