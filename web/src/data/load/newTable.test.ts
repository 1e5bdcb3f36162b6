import { expect, test } from 'vitest';
import { formatOf } from './fileFormat';
import { firstRecords } from './firstRecords';
import { loadStatements } from './loadStatements';
import { nameNotes, newColumns, problemOf } from './tableColumns';

const columnsOf = (...sources: string[]) =>
  newColumns(sources.map((source) => ({ source, type: 'TEXT' })));

test.each<[string[], string[]]>([
  [
    ['name', 'name', 'Name'],
    ['NAME', 'NAME_2', 'NAME_3'],
  ],
  [
    ['', 'id', ''],
    ['C1', 'ID', 'C3'],
  ],
  [
    ['C2', '', 'a b', 'a-b', '2024'],
    ['C2', 'C2_2', 'A_B', 'A_B_2', '_2024'],
  ],
  [
    ['Straße', 'größe', 'Größe'],
    ['STRASSE', 'GROSSE', 'GROSSE_2'],
  ],
  [
    ['Город', 'город', '市 区'],
    ['ГОРОД', 'ГОРОД_2', '市_区'],
  ],
  [
    ['a', 'a_2', 'A'],
    ['A', 'A_2', 'A_3'],
  ],
])('columns %j are called %j', (sources, names) => {
  const columns = columnsOf(...sources);
  expect(columns.map(({ name }) => name)).toEqual(names);
  expect(problemOf(columns)).toBeNull();
});

test('names that the file gives to two columns, or to none, are told', () => {
  expect(nameNotes(columnsOf('name', '', 'NAME', 'city'))).toEqual([
    'Column 2 has no name in the file: it is C2 here.',
    'Column 3, “NAME”, would have the name of column 1: it is NAME_2 here.',
  ]);
  expect(nameNotes(columnsOf('a', 'b'))).toEqual([]);
  expect(nameNotes(columnsOf('', '', '', '', '', '', '')).at(-1)).toBe(
    '3 more columns were named in the same way.',
  );
});

test('names that were typed may not meet, in any case of letters', () => {
  const [first, second] = columnsOf('a', 'b');
  if (!first || !second) throw new Error('two columns');
  expect(problemOf([first, { ...second, name: 'a' }])).toBe('Two columns are called A.');
  expect(problemOf([first, { ...second, name: 'a', isTaken: false }])).toBeNull();
  const { create } = loadStatements({
    table: 'T',
    path: 'x.csv',
    format: formatOf('x.csv', new TextEncoder().encode('a,b\n1,2\n')),
    columns: columnsOf('a', '', 'A'),
  });
  expect(create).toBe('CREATE TABLE T (\n  A VARCHAR,\n  C2 VARCHAR,\n  A_2 VARCHAR\n)');
});

test.each<[string, boolean]>([
  ['id,name\n1,Ann\n', true],
  ['1,Ann\n2,Ben\n', false],
  ['id,name,name\n1,Ann,Berg\n', true],
  ['id,,NAME,name\n1,2,Ann,Berg\n', true],
  ['Bern,Bern\nZug,Chur\n', false],
  [',\n1,2\n', true],
  ['"a, b","a, b"\n1,2\n', true],
  ['name,name\n', false],
])('whether the first line of %j has the names', (text, expected) => {
  expect(formatOf('x.csv', new TextEncoder().encode(text)).hasHeader).toBe(expected);
});

test.each<[string, number[], string, string]>([
  ['UTF-8', [0x61, 0x3b, 0x62, 0x0a, 0xc3, 0xa9, 0x3b, 0x31], 'UTF8', ';'],
  ['little-endian UTF-16', [0xff, 0xfe, 0x61, 0, 0x09, 0, 0x62, 0], 'UTF16LE', '\t'],
  ['big-endian UTF-16', [0xfe, 0xff, 0, 0x61, 0, 0x7c, 0, 0x62], 'UTF16BE', '|'],
  ['Windows-1252', [0x35, 0x20, 0x80, 0x3b, 0x36], 'WINDOWS1252', ';'],
])('the encoding of a file in %s is told from its bytes', (_, bytes, encoding, delimiter) => {
  expect(formatOf('x.csv', new Uint8Array(bytes))).toMatchObject({ encoding, delimiter });
});

test('a file without columns makes no table', () => {
  expect(problemOf([])).toBe('The file has no columns; it may be empty.');
});

test('cells in quotes hold separators, lines and quotes', () => {
  expect(firstRecords('a;"b;\n""c"""\r\n1;\n;', ';', 9)).toEqual([
    ['a', 'b;\n"c"'],
    ['1', ''],
    ['', ''],
  ]);
  expect(firstRecords('a\nb\nc', ',', 2)).toEqual([['a'], ['b']]);
});
