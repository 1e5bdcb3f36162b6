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

it('counts characters as the server does', () => {
  const wide = "select '🎉🎉' a, bad";
  const errorLocation = { statement: 1, line: 1, position: 15 };
  expect(placeOf(wide, { message: 'no', errorLocation })?.offset).toBe(wide.indexOf('bad'));
});

it('finds the name that does not exist', () => {
  const check = (sql: string, name: string, place: string) =>
    expect(
      placeOf(sql, {
        message: `SQL compilation error:\nObject '${name}' does not exist or not authorized.`,
      }),
    ).toEqual({ offset: sql.lastIndexOf(place), line: sql.split('\n').length });
  check("select 'nosuch'\nfrom nosuch", 'NOSUCH', 'nosuch');
  check('select 1\nfrom db.s."no such"', 'DB.S."no such"', '"no such"');
  check('select 1\nfrom db.s.nosuch t', 'DB.S.NOSUCH', 'nosuch');
  expect(placeOf('select 1', { message: "Object 'X' does not exist." })).toBeNull();
});
