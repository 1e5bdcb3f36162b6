// A lone USE where no session could be had: the server takes none then, but it still moves the pickers.
import { messageOf } from '../../api/failure';
import { runQuery } from '../../api/query';
import { newRequestId } from '../../api/requestId';
import type { StatementContext } from '../../api/statements';
import { parseUse, type Use } from '../../sql/useStatement';
import { newOutcome, type Run } from './run';
import { putRun } from './runStore';

/** The context after a USE; another database's or role's schema is not this one's. */
export function contextAfter(context: StatementContext, use: Use): StatementContext {
  if (use.database !== undefined && use.schema === undefined) {
    const schema = use.database === context.database ? context.schema : 'PUBLIC';
    return { ...context, ...use, schema };
  }
  return { ...context, ...use };
}

/** Checks with the server that what is named is there, and returns the new context if it is. */
export async function runUse(
  worksheetId: string,
  statement: string,
  start: number,
  context: StatementContext,
  note: string | null,
): Promise<StatementContext | null> {
  const use = parseUse(statement);
  if (use === null) return null;
  const startedAtMs = Date.now();
  const outcome = newOutcome(statement, start);
  const run: Run = {
    id: newRequestId(),
    context,
    startedAtMs,
    endedAtMs: null,
    handle: null,
    outcomes: [{ ...outcome, state: 'running' }],
    selected: 0,
    isChosen: false,
    view: 'table',
    progress: null,
    note,
  };
  putRun(worksheetId, run);
  const end = (changes: Partial<typeof outcome>) => {
    const tookMs = Date.now() - startedAtMs;
    putRun(worksheetId, {
      ...run,
      endedAtMs: Date.now(),
      outcomes: [{ ...outcome, tookMs, ...changes }],
    });
  };
  try {
    const after = await checked(contextAfter(context, use), use);
    end({ state: 'succeeded', message: `now using ${Object.values(use).join('.')}` });
    return after;
  } catch (error) {
    const message = messageOf(error);
    end({ state: 'failed', error: { code: '', message, offset: start, line: null } });
    return null;
  }
}

async function checked(context: StatementContext, use: Use): Promise<StatementContext> {
  const { rows } = await runQuery(
    'SELECT CURRENT_ROLE(), CURRENT_WAREHOUSE(), CURRENT_DATABASE(), CURRENT_SCHEMA()',
    context,
  );
  const [role, warehouse, database, schema] = rows[0] ?? [];
  const found = { role, warehouse, database, schema };
  for (const [part, name] of Object.entries(use)) {
    if (found[part as keyof Use] !== name) {
      throw new Error(`Object '${name}' does not exist or not authorized.`);
    }
  }
  return { ...context, schema: schema ?? null };
}
