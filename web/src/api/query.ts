// The console's own statements: lists, pickers, pages. Not for the results that people ask for,
// which a ResultSource pages.
import { ApiFailure } from './failure';
import { fetchPartition, type StatementContext, submit, untilEnded } from './statements';

export { sqlName, sqlPath, sqlText } from '../sql/names';

/** Marks the console's own statements, so that the history can leave them out. */
export const CONSOLE_TAG = 'firn-console';

export interface QueryResult {
  columns: string[];
  rows: (string | null)[][];
  handle: string;
}

/** Runs one statement and returns all of its rows. Throws ApiFailure if it fails. */
export async function runQuery(
  statement: string,
  context: StatementContext = {},
  signal?: AbortSignal,
): Promise<QueryResult> {
  const parameters = { query_tag: CONSOLE_TAG };
  const answer = await untilEnded(
    await submit({ statement, ...context, parameters, isOwn: true }, signal),
    signal,
  );
  if (answer.kind === 'failed') throw new ApiFailure(422, answer);
  const { rowType, partitionInfo } = answer.resultSetMetaData;
  const rows = answer.data;
  for (let partition = 1; partition < partitionInfo.length; partition += 1) {
    const bytes = await fetchPartition(answer.statementHandle, partition, signal);
    const body = JSON.parse(new TextDecoder().decode(bytes)) as { data: (string | null)[][] };
    for (const row of body.data) rows.push(row);
  }
  return { columns: rowType.map((column) => column.name), rows, handle: answer.statementHandle };
}

/** As `runQuery`, each row as an object whose keys are the columns' names in lower case. */
export async function runObjects(
  statement: string,
  context: StatementContext = {},
  signal?: AbortSignal,
): Promise<Record<string, string | null>[]> {
  const { columns, rows } = await runQuery(statement, context, signal);
  const names = columns.map((name) => name.toLowerCase());
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])),
  );
}
