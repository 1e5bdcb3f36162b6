// What a kept session has chosen, and how it comes to what the pickers of a worksheet show.
import { sqlName, sqlPath } from '../sql/names';
import { parseUse } from '../sql/useStatement';
import type { FailedAnswer, StatementContext } from './statements';

export interface SessionNames {
  role: string | null;
  warehouse: string | null;
  database: string | null;
  schema: string | null;
}

export interface Choice {
  /** The picker that says so. */
  part: string;
  use: string;
  /** Whether the statement may run without it. */
  isOptional: boolean;
}

const PLACE = 'Database and schema';

/**
 * The statements that choose in a session what is wanted and not chosen there. With a new role a
 * database is tried before and after it: it stays chosen where only one of the roles may use it.
 * A statement USE runs whatever is refused, for it is the way out.
 */
export function choicesOf(
  names: SessionNames,
  { role, warehouse, database, schema }: StatementContext,
  statement: string,
): Choice[] {
  const isOptional = parseUse(statement) !== null;
  const choices: Choice[] = [];
  const isMoved =
    database != null &&
    (database !== names.database || (schema != null && schema !== names.schema));
  const place = isMoved ? { part: PLACE, use: placeUse(database, schema) } : null;
  const isRoleNew = role != null && role !== names.role;
  if (place && isRoleNew) choices.push({ ...place, isOptional: true });
  if (isRoleNew) choices.push({ part: 'Role', use: `USE ROLE ${sqlName(role)}`, isOptional });
  if (place) choices.push({ ...place, isOptional });
  if (warehouse != null && warehouse !== names.warehouse) {
    choices.push({ part: 'Warehouse', use: `USE WAREHOUSE ${sqlName(warehouse)}`, isOptional });
  }
  return choices;
}

function placeUse(database: string, schema: string | null | undefined): string {
  return schema == null
    ? `USE DATABASE ${sqlName(database)}`
    : `USE SCHEMA ${sqlPath(database, schema)}`;
}

/** The server's words, and the picker where another name is to be chosen. */
export function withPlace(answer: FailedAnswer, part: string): FailedAnswer {
  const { errorLocation: _, ...rest } = answer;
  const out = `The picker “${part}” of this worksheet says so, and nothing was run: choose another there, or with USE.`;
  return { ...rest, message: `${answer.message}\n${out}` };
}
