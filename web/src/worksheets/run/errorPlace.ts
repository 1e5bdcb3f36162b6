import type { FailedAnswer } from '../../api/statements';

interface Place {
  offset: number;
  line: number;
}

/**
 * Where in a text an error is. The server names it in `errorLocation`, counted in the whole text that
 * was sent; else its message says "line 1 at position 7". Lines count from 1, positions from 0.
 */
export function placeOf(
  text: string,
  failed: Pick<FailedAnswer, 'message' | 'errorLocation'>,
): Place | null {
  const location = failed.errorLocation ?? placeInMessage(failed.message);
  if (location === null) return null;
  const lines = text.split('\n');
  const line = Math.min(Math.max(location.line, 1), lines.length);
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const position = Math.min(Math.max(location.position, 0), lines[line - 1]?.length ?? 0);
  return { offset: before + position, line };
}

function placeInMessage(message: string): { line: number; position: number } | null {
  const found = /\bline (\d+) at position (-?\d+)/.exec(message);
  return found && { line: Number(found[1]), position: Number(found[2]) };
}
