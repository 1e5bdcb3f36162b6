import type { FailedAnswer } from '../../api/statements';
import { codeOf, tokensOf } from '../../sql/tokens';
import { nameOf } from '../../sql/useStatement';

interface Place {
  offset: number;
  line: number;
}

/**
 * Where in a text an error is. The server names it in `errorLocation`, counted in the whole text that
 * was sent; else its message says "line 1 at position 7", or which name does not exist. Lines count
 * from 1, positions from 0.
 */
export function placeOf(
  text: string,
  failed: Pick<FailedAnswer, 'message' | 'errorLocation'>,
): Place | null {
  const location = failed.errorLocation ?? placeInMessage(failed.message);
  if (location === null) return placeOfName(text, failed.message);
  const lines = text.split('\n');
  const line = Math.min(Math.max(location.line, 1), lines.length);
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  // The server counts characters, and some are two units of the editor's text.
  const position = [...(lines[line - 1] ?? '')].slice(0, Math.max(location.position, 0)).join('');
  return { offset: before + position.length, line };
}

/** The first place of the last part of the name that a message has in quotes. */
function placeOfName(text: string, message: string): Place | null {
  const path = /'([^'\n]+)' does not exist/.exec(message)?.[1];
  const name =
    path && (/"((?:[^"]|"")*)"$/.exec(path)?.[1]?.replaceAll('""', '"') ?? lastPart(path));
  if (!name) return null;
  const token = codeOf(tokensOf(text)).find(
    ({ kind, start, end }) =>
      (kind === 'word' || kind === 'quoted') && nameOf(text.slice(start, end)) === name,
  );
  if (token === undefined) return null;
  return { offset: token.start, line: text.slice(0, token.start).split('\n').length };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function placeInMessage(message: string): { line: number; position: number } | null {
  const found = /\bline (\d+) at position (-?\d+)/.exec(message);
  return found && { line: Number(found[1]), position: Number(found[2]) };
}
