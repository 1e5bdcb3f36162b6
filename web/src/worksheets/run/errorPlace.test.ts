import { expect, it } from 'vitest';
import { placeOf } from './errorPlace';

const text = 'select 1\n  , frm\nfrom t';

it('takes the place that the server names', () => {
  const errorLocation = { statement: 1, line: 2, position: 4 };
  expect(placeOf(text, { message: 'no', errorLocation })).toEqual({ offset: 13, line: 2 });
});

it('else the one in the message', () => {
  const message = "SQL compilation error: error line 2 at position 4\ninvalid identifier 'FRM'";
  expect(placeOf(text, { message })).toEqual({ offset: 13, line: 2 });
});

it('stays within the text', () => {
  expect(placeOf(text, { message: 'line 9 at position 99' })).toEqual({
    offset: text.length,
    line: 3,
  });
});

it('knows when there is none', () =>
  expect(placeOf(text, { message: 'Division by zero' })).toBeNull());
