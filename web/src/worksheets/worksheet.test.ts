import { expect, it } from 'vitest';
import { cleanName, contentOf, parseContent } from './worksheet';

it('keeps the pickers in the first line', () => {
  const context = { role: 'R', warehouse: null, database: 'D', schema: 'S' };
  const content = contentOf({ text: 'select 1\n', context });
  expect(content).toBe('-- firn: {"role":"R","database":"D","schema":"S"}\nselect 1\n');
  expect(parseContent(content)).toEqual({
    text: 'select 1\n',
    context: { role: 'R', database: 'D', schema: 'S' },
  });
});

it('leaves other texts as they are', () => {
  for (const text of ['', 'select 1', '-- firn: no object\nselect 1']) {
    expect(parseContent(text)).toEqual({ text, context: {} });
  }
});

it('makes names that can be files', () => {
  expect(cleanName(' a/b\\c: "d" .')).toBe('a b c d');
});
