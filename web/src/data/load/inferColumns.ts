import { ApiFailure } from '../../api/failure';
import { runObjects, runQuery, sqlName, sqlText } from '../../api/query';
import { newRequestId } from '../../api/requestId';
import { runScript } from '../../api/script';
import type { StatementContext } from '../../api/statements';
import { type FileFormat, inferOptions } from './fileFormat';
import { type NewColumn, newColumns } from './tableColumns';

const UNSUPPORTED = '000002';

/** The columns of a file on the user's own stage. INFER_SCHEMA wants a format that has a name. */
export async function inferColumns(
  path: string,
  format: FileFormat,
  context: StatementContext,
  signal: AbortSignal,
): Promise<NewColumn[]> {
  const rows = await inferWithTemporary(path, format, context, signal);
  return newColumns(rows);
}

interface Found {
  source: string;
  type: string;
}

async function inferWithTemporary(
  path: string,
  format: FileFormat,
  context: StatementContext,
  signal: AbortSignal,
): Promise<Found[]> {
  const name = 'FIRN_UPLOAD';
  try {
    const { rows, columns } = await runScript(
      [`CREATE TEMPORARY FILE FORMAT ${name} ${inferOptions(format)}`, inferQuery(path, name)],
      context,
      signal,
    );
    const at = (column: string) => columns.findIndex((one) => one.toLowerCase() === column);
    return rows.map((row) => ({
      source: row[at('column_name')] ?? '',
      type: row[at('type')] ?? 'VARCHAR',
    }));
  } catch (error) {
    if (error instanceof ApiFailure && error.code === UNSUPPORTED) {
      return inferWithLasting(path, format, context, signal);
    }
    throw error;
  }
}

/** For servers without temporary formats: one of an own name, dropped whatever happens. */
async function inferWithLasting(
  path: string,
  format: FileFormat,
  context: StatementContext,
  signal: AbortSignal,
): Promise<Found[]> {
  const name = sqlName(`FIRN_UPLOAD_${newRequestId().replaceAll('-', '').toUpperCase()}`);
  await runQuery(`CREATE FILE FORMAT ${name} ${inferOptions(format)}`, context, signal);
  try {
    const rows = await runObjects(inferQuery(path, name), context, signal);
    return rows.map(({ column_name, type }) => ({
      source: column_name ?? '',
      type: type ?? 'VARCHAR',
    }));
  } finally {
    await runQuery(`DROP FILE FORMAT IF EXISTS ${name}`, context);
  }
}

function inferQuery(path: string, formatName: string): string {
  return (
    `SELECT * FROM TABLE(INFER_SCHEMA(LOCATION => ${sqlText(`@~/${path}`)}, ` +
    `FILE_FORMAT => ${sqlText(formatName)})) ORDER BY ORDER_ID`
  );
}
