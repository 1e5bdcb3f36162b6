// Creates the table of a file: all of it, or nothing.
import { messageOf } from '../../api/failure';
import { runQuery } from '../../api/query';
import { runScript } from '../../api/script';
import type { StatementContext } from '../../api/statements';
import type { LoadStatements } from './loadStatements';

/**
 * Creates the table, loads the file, and returns how many rows came. A table whose load fails is
 * dropped again, so that the next try meets the same place.
 */
export async function createTable(
  { create, load, table }: LoadStatements,
  context: StatementContext,
): Promise<number> {
  await runScript([create], context);
  try {
    const { rows, columns } = await runScript([load], context);
    const at = columns.findIndex((name) => name.toLowerCase() === 'rows_loaded');
    return rows.reduce((sum, row) => sum + Number(row[at] ?? 0), 0);
  } catch (error) {
    await dropCreated(table, context, messageOf(error));
    throw error;
  }
}

async function dropCreated(table: string, context: StatementContext, reason: string) {
  try {
    await runQuery(`DROP TABLE ${table}`, context);
  } catch (error) {
    throw new Error(
      `${reason}\nThe table is there without rows, for it could not be dropped: ${messageOf(error)}`,
    );
  }
}
