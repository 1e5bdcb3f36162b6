import { count } from '../grid/counts';

/** Characters that the analyst takes of a question or note. */
const CHARACTERS_MAX = 10_000;

/** Why a text cannot be sent, if it is too long. */
export function excessOf(text: string): string | null {
  const excess = [...text.trim()].length - CHARACTERS_MAX;
  if (excess <= 0) return null;
  return `${count(excess, 'character')} too many: at most ${count(CHARACTERS_MAX)} can be sent.`;
}
