// Several statements as one set, which share a session and are shown to the user before they run.
import { ApiFailure } from './failure';
import type { QueryResult } from './query';
import {
  fetchStatement,
  type StatementContext,
  type Submission,
  submit,
  untilEnded,
} from './statements';

/** What a set of statements looks like as one text. */
export function scriptText(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};`).join('\n');
}

/**
 * Runs the statements one after the other and returns the last one's rows. Ends at the first failure.
 * They are the user's, who has seen them, and stand in the history.
 */
export async function runScript(
  statements: readonly string[],
  context: StatementContext = {},
  signal?: AbortSignal,
): Promise<QueryResult> {
  return runSubmission(submissionOf(statements, context), signal);
}

/** As `runScript`, for what the console needs to know: the history leaves it out. */
export async function runOwnScript(
  statements: readonly string[],
  context: StatementContext,
  signal?: AbortSignal,
): Promise<QueryResult> {
  return runSubmission({ ...submissionOf(statements, context), isOwn: true }, signal);
}

function submissionOf(statements: readonly string[], context: StatementContext): Submission {
  const parameters = { multi_statement_count: statements.length };
  const statement = statements.length === 1 ? (statements[0] ?? '') : scriptText(statements);
  return { statement, ...context, parameters };
}

async function runSubmission(submission: Submission, signal?: AbortSignal): Promise<QueryResult> {
  const first = await submit(submission, signal);
  const answer = await untilEnded(first, signal);
  if (answer.kind === 'failed') throw new ApiFailure(422, answer);
  const last = answer.statementHandles?.at(-1);
  const result = last === undefined ? answer : await fetchStatement(last, signal);
  if (result.kind === 'failed') throw new ApiFailure(422, result);
  if (result.kind === 'running') return { columns: [], rows: [], handle: result.statementHandle };
  return {
    columns: result.resultSetMetaData.rowType.map(({ name }) => name),
    rows: result.data,
    handle: result.statementHandle,
  };
}
