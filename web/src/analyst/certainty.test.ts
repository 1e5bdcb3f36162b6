import { describe, expect, it } from 'vitest';
import { certaintyWords, isDoubtful } from './certainty';

const answer = (...texts: string[]) => ({
  content: texts.map((text) => ({ type: 'text' as const, text })),
});

const PLAIN = 'This is our interpretation of your question:\n\nShow the revenue for each region.';
const DOUBT = 'I am not sure of this reading: There are several ways to the region.';

describe('the certainty of an answer', () => {
  it.each([
    ['sure', [PLAIN], 0.93, 'Sure, confidence 0.93'],
    ['doubted in its text', [`${PLAIN}\n\n${DOUBT}`], 0.82, 'Not sure, confidence 0.82'],
    ['doubted in a block of its own', [PLAIN, DOUBT], 0.82, 'Not sure, confidence 0.82'],
    ['doubted by a stricter server', [PLAIN, DOUBT], 0.93, 'Not sure, confidence 0.93'],
    ['not doubted by a laxer server', [PLAIN], 0.6, 'Confidence 0.60'],
  ])('%s', (_, texts, confidence, words) => {
    expect(certaintyWords(answer(...texts), confidence)).toBe(words);
  });

  it('is not doubted because of words of the question', () => {
    expect(isDoubtful(answer('Show rows where note is “I am not sure of this reading”.'))).toBe(
      false,
    );
  });
});
