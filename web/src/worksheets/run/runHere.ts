// What the keys and buttons of the page run.
import { refreshCatalog, useCatalog } from '../../api/catalog';
import { followSession } from '../../api/keptSessions';
import { announce } from '../../components/announce';
import { type Statement, splitStatements, statementAt } from '../../sql/split';
import { parseUse } from '../../sql/useStatement';
import { changeContext, keepLocally, worksheetOf } from '../worksheetStore';
import type { Outcome, Run } from './run';
import { followRun, runStatements } from './runScript';
import { contextAfter, runUse } from './runUse';

/** The server's answer to a statement that changes a session where there is none. */
const NEEDS_SESSION = '391911';

export interface Selection {
  from: number;
  to: number;
}

/** What Ctrl+Enter means: the statements of the selection, else the one at the cursor. */
export function statementsToRun(text: string, selection: Selection): Statement[] {
  if (selection.from !== selection.to) {
    const part = splitStatements(text.slice(selection.from, selection.to));
    return part.map((one) => shifted(one, selection.from));
  }
  const found = statementAt(splitStatements(text), text, selection.from);
  return found ? [found] : [];
}

function shifted(statement: Statement, by: number): Statement {
  const { start, end, behind, text } = statement;
  return { start: start + by, end: end + by, behind: behind + by, text };
}

export async function runHere(
  worksheetId: string,
  statements: readonly Statement[],
): Promise<void> {
  const worksheet = worksheetOf(worksheetId);
  if (worksheet === null || statements.length === 0) return;
  const run = await runStatements(worksheetId, worksheet.text, statements, worksheet.context);
  if (run === null) return;
  const [first] = run.outcomes;
  if (first?.error?.code === NEEDS_SESSION && parseUse(first.text) !== null) {
    const after = await runUse(worksheetId, first.text, first.start, run.context, run.note);
    if (after) changeContext(worksheetId, after);
    return;
  }
  await followNames(worksheetId, run);
  keepLocally(worksheetId);
  announce(summary(run));
  if (run.outcomes.some(changesCatalog)) void refreshCatalog();
}

/** Goes on with a run that was there before a reload. */
export async function followHere(worksheetId: string): Promise<void> {
  const run = await followRun(worksheetId);
  if (run !== null) await followNames(worksheetId, run);
}

/** The pickers show what the session has chosen, but for those that were set meanwhile. */
async function followNames(worksheetId: string, run: Run): Promise<void> {
  const names = await followSession(worksheetId);
  if (names === null) return followUses(worksheetId, run);
  const context = worksheetOf(worksheetId)?.context;
  if (context === undefined) return;
  const follow = (...parts: (keyof typeof names)[]) => {
    const isSet = parts.some((part) => (context[part] ?? null) !== (run.context[part] ?? null));
    const isMoved = parts.some((part) => (context[part] ?? null) !== names[part]);
    if (isSet || !isMoved) return;
    changeContext(worksheetId, Object.fromEntries(parts.map((part) => [part, names[part]])));
  };
  follow('role');
  follow('warehouse');
  follow('database', 'schema');
}

/** Without a session, what USE has chosen is sent with what is run next. */
function followUses(worksheetId: string, run: Run): void {
  const uses = run.outcomes
    .filter(({ state }) => state === 'succeeded')
    .map(({ text }) => parseUse(text))
    .filter((use) => use !== null);
  const context = worksheetOf(worksheetId)?.context;
  if (uses.length === 0 || context === undefined) return;
  const after = uses.reduce(contextAfter, context);
  const isMoved = after.database !== context.database;
  const isThere = useCatalog
    .getState()
    .schemas.some(({ database, schema }) => database === after.database && schema === after.schema);
  // The server begins with PUBLIC where the database has it.
  const isGuessed = isMoved && after.schema === 'PUBLIC' && !isThere;
  changeContext(worksheetId, isGuessed ? { ...after, schema: null } : after);
}

function changesCatalog({ text, state }: Outcome): boolean {
  return (
    state === 'succeeded' &&
    /^(create|drop|alter|undrop|rename|comment|execute|call|begin)\b/i.test(text)
  );
}

function summary(run: Run): string {
  const failed = run.outcomes.find(({ state }) => state === 'failed');
  if (failed) return `Failed: ${failed.error?.message ?? ''}`;
  if (run.outcomes.some(({ state }) => state === 'cancelled')) return 'Cancelled.';
  const last = run.outcomes.at(-1);
  const rows = last?.message ?? `${last?.rowCount ?? 0} rows`;
  return `${rows} in ${last?.tookMs ?? 0} milliseconds`;
}
