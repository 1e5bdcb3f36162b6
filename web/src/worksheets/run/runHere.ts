// What the keys and buttons of the page run.
import { refreshCatalog } from '../../api/catalog';
import { announce } from '../../components/announce';
import { type Statement, splitStatements, statementAt } from '../../sql/split';
import { parseUse } from '../../sql/useStatement';
import { changeContext, keepLocally, worksheetOf } from '../worksheetStore';
import type { Outcome, Run } from './run';
import { runStatements } from './runScript';
import { contextAfter, runUse } from './runUse';

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
  const [first] = statements;
  if (worksheet === null || first === undefined) return;
  if (statements.length === 1 && parseUse(first.text) !== null) {
    const after = await runUse(worksheetId, first.text, first.start, worksheet.context);
    if (after) changeContext(worksheetId, after);
    return;
  }
  const run = await runStatements(worksheetId, worksheet.text, statements, worksheet.context);
  if (run === null) return;
  followUses(worksheetId, run);
  keepLocally(worksheetId);
  announce(summary(run));
  if (run.outcomes.some(changesCatalog)) void refreshCatalog();
}

/** A script's USE holds for what is run next, as it would in a session. */
function followUses(worksheetId: string, run: Run): void {
  for (const { text, state } of run.outcomes) {
    const use = state === 'succeeded' ? parseUse(text) : null;
    const context = worksheetOf(worksheetId)?.context;
    if (use && context) changeContext(worksheetId, contextAfter(context, use));
  }
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
