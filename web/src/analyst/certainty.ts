// How sure an answer is. The bound is a setting of the server, which says in the text of an answer that lies below it that it
// is not sure: what the console says follows the text.
import type { Turn } from './conversation';

const DOUBT = /(^|\n)I am not sure of this reading\b/;

/** True if the text of the answer says that another reading may be meant. */
export function isDoubtful({ content }: Pick<Turn, 'content'>): boolean {
  return content.some((block) => block.type === 'text' && DOUBT.test(block.text));
}

/** The server's default for `analyst_confidence_sure`. */
const SURE = 0.885;

/** The certainty of an answer with SQL. A low confidence that the text is silent about gets no word of its own. */
export function certaintyWords(turn: Pick<Turn, 'content'>, confidence: number): string {
  const figure = confidence.toFixed(2);
  if (isDoubtful(turn)) return `Not sure, confidence ${figure}`;
  return confidence >= SURE ? `Sure, confidence ${figure}` : `Confidence ${figure}`;
}
