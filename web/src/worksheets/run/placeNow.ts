import type { Outcome } from './run';

/** Where the statement that was run stands in the text as it is now, or null if it was edited. */
export function statementNow(text: string, outcome: Outcome): number | null {
  const { start, text: statement } = outcome;
  if (text.startsWith(statement, start)) return start;
  const found = text.indexOf(statement);
  return found === -1 ? null : found;
}

/** Where the error is in the text as it is now. */
export function errorNow(text: string, outcome: Outcome | undefined): number | null {
  const offset = outcome?.error?.offset ?? null;
  if (outcome === undefined || offset === null) return null;
  const start = statementNow(text, outcome);
  return start === null ? null : start + offset - outcome.start;
}
