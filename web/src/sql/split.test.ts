import { describe, expect, it } from 'vitest';
import { splitStatements, statementAt } from './split';

const texts = (sql: string) => splitStatements(sql).map(({ text }) => text);

describe('splitStatements', () => {
  const cases: [string, string, string[]][] = [
    ['plain', 'select 1; select 2', ['select 1', 'select 2']],
    ['nothing', ' ;; -- no\n', []],
    ['strings', "select 'a;''b\\';c'; select 2", ["select 'a;''b\\';c'", 'select 2']],
    ['names', 'select "a;""b"; select 2', ['select "a;""b"', 'select 2']],
    ['bodies', 'select $$a;b$$; select 2', ['select $$a;b$$', 'select 2']],
    [
      'comments',
      '-- a;\nselect 1 /* ; */ + 1 // ;\n; select 2',
      ['select 1 /* ; */ + 1', 'select 2'],
    ],
    [
      'a block',
      'begin let x := 1; return x; end; select 2',
      ['begin let x := 1; return x; end', 'select 2'],
    ],
    ['a transaction', 'begin; select 1; commit', ['begin', 'select 1', 'commit']],
    ['named', 'begin transaction; select 1; commit', ['begin transaction', 'select 1', 'commit']],
    [
      'steps',
      'declare a int; begin if (a = 1) then return 2; end if; for i in 1 to 2 do a := 3; end for; end; select 2',
      [
        'declare a int; begin if (a = 1) then return 2; end if; for i in 1 to 2 do a := 3; end for; end',
        'select 2',
      ],
    ],
    [
      'a case inside',
      'begin let x := case when true then 1 end; return x; end; select 2',
      ['begin let x := case when true then 1 end; return x; end', 'select 2'],
    ],
    [
      'a procedure',
      'create or replace procedure p() returns int language sql as begin return 1; end; call p()',
      [
        'create or replace procedure p() returns int language sql as begin return 1; end',
        'call p()',
      ],
    ],
    ['an open string', "select 'a; select 2", ["select 'a; select 2"]],
  ];
  for (const [name, sql, expected] of cases) it(name, () => expect(texts(sql)).toEqual(expected));
});

describe('statementAt', () => {
  const sql = 'select 1;  \n\nselect 2;\n';
  const at = (cursor: number) => statementAt(splitStatements(sql), sql, cursor)?.text;
  it('finds what the cursor is in', () =>
    expect([at(3), at(9), at(15)]).toEqual(['select 1', 'select 1', 'select 2']));
  it('keeps to the line', () => expect(at(11)).toBe('select 1'));
  it('goes to the next', () => expect(at(12)).toBe('select 2'));
  it('goes back at the end', () => expect(at(sql.length)).toBe('select 2'));
});
