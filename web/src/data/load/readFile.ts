// What the server reads of a file on the user's own stage: its columns, and its first rows.
import { messageOf } from '../../api/failure';
import { sqlText } from '../../api/query';
import { runOwnScript } from '../../api/script';
import type { StatementContext } from '../../api/statements';
import { copyOptions, type FileFormat, inferOptions } from './fileFormat';
import { valueIn } from './loadStatements';
import { type NewColumn, newColumns } from './tableColumns';

export interface FileContent {
  columns: NewColumn[];
  /** The first rows, a text for each column. */
  rows: (string | null)[][];
  /** Why there are no rows to be seen. */
  rowsError: string | null;
}

const ROWS_SHOWN = 4;

/** INFER_SCHEMA and queries over files want a format that has a name; a temporary one ends with its script. */
const FORMAT = 'FIRN_UPLOAD';
const formatOf = (options: string) => `CREATE TEMPORARY FILE FORMAT ${FORMAT} ${options}`;

export async function readFile(
  path: string,
  format: FileFormat,
  context: StatementContext,
  signal: AbortSignal,
): Promise<FileContent> {
  const columns = await inferColumns(path, format, context, signal);
  if (columns.length === 0) return { columns, rows: [], rowsError: null };
  try {
    const rows = await firstRows(path, format, columns, context, signal);
    return { columns, rows, rowsError: null };
  } catch (error) {
    signal.throwIfAborted();
    return { columns, rows: [], rowsError: messageOf(error) };
  }
}

async function inferColumns(
  path: string,
  format: FileFormat,
  context: StatementContext,
  signal: AbortSignal,
): Promise<NewColumn[]> {
  const query =
    `SELECT * FROM TABLE(INFER_SCHEMA(LOCATION => ${sqlText(`@~/${path}`)}, ` +
    `FILE_FORMAT => ${sqlText(FORMAT)})) ORDER BY ORDER_ID`;
  const script = [formatOf(inferOptions(format)), query];
  const { rows, columns } = await runOwnScript(script, context, signal);
  const at = (column: string) => columns.findIndex((one) => one.toLowerCase() === column);
  return newColumns(
    rows.map((row) => ({
      source: row[at('column_name')] ?? '',
      type: row[at('type')] ?? 'VARCHAR',
    })),
  );
}

/** As COPY will read them, before they become values of the columns' types. */
async function firstRows(
  path: string,
  format: FileFormat,
  columns: readonly NewColumn[],
  context: StatementContext,
  signal: AbortSignal,
): Promise<(string | null)[][]> {
  const values = columns.map((column) => valueIn({ ...column, type: 'VARCHAR' }, format));
  const query =
    `SELECT ${values.join(', ')} FROM ${sqlText(`@~/${path}`)} ` +
    `(FILE_FORMAT => ${sqlText(FORMAT)}) LIMIT ${ROWS_SHOWN}`;
  const script = [formatOf(copyOptions(format)), query];
  return (await runOwnScript(script, context, signal)).rows;
}
