import { describe, expect, it } from 'vitest';
import { arrayRowSource } from './arrayRowSource';
import { copyAllRows, copyLoadedRows } from './copyRows';
import { copyWriter } from './copyText';
import type { ColumnType, CopyFormat, RowSource } from './types';

const columns: ColumnType[] = [
  { name: 'ID', type: 'fixed', nullable: false },
  { name: 'NOTE "x"', type: 'text', nullable: true },
  { name: 'DAY', type: 'date', nullable: true },
];
const rows = [
  ['1', 'a\tb', '20735'],
  ['12345678901234567890', '', null],
  ['3', null, '0'],
  ['4', `it's \\ | <b> "q"\nnew`, '0'],
];

function copied(format: CopyFormat): string {
  const writer = copyWriter(format, columns, { insertTable: 'T' });
  for (const row of rows) writer.row(row);
  return writer.text();
}

describe('copied text', () => {
  it('is TSV as spreadsheets read it', () => {
    expect(copied('tsv')).toBe(
      '1\t"a\tb"\t2026-10-09\n12345678901234567890\t\t\n3\t\t1970-01-01\n4\t"it\'s \\ | <b> ""q""\nnew"\t1970-01-01',
    );
    expect(copied('tsv-header').split('\n')[0]).toBe('ID\tNOTE "x"\tDAY');
  });

  it('is CSV that keeps NULL and the empty text apart', () => {
    expect(copied('csv')).toBe(
      'ID,"NOTE ""x""",DAY\r\n1,a\tb,2026-10-09\r\n12345678901234567890,"",\r\n3,,1970-01-01\r\n4,"it\'s \\ | <b> ""q""\nnew",1970-01-01\r\n',
    );
  });

  it('is JSON with numbers to the last digit', () => {
    const text = copied('json');
    expect(text).toContain('"ID": 12345678901234567890');
    const parsed = JSON.parse(text);
    expect(parsed[3]).toEqual({ ID: 4, 'NOTE "x"': rows[3]?.[1], DAY: '1970-01-01' });
    expect(parsed[2]['NOTE "x"']).toBeNull();
  });

  it('is Markdown in which nothing is markup', () => {
    expect(copied('markdown')).toBe(
      '| ID | NOTE "x" | DAY |\n| ---: | --- | --- |\n| 1 | a\tb | 2026-10-09 |\n| 12345678901234567890 |  | NULL |\n| 3 | NULL | 1970-01-01 |\n| 4 | it\'s \\\\ \\| &lt;b> "q"<br>new | 1970-01-01 |\n',
    );
  });

  it('is an INSERT that runs', () => {
    expect(copied('insert')).toBe(
      `INSERT INTO T ("ID", "NOTE ""x""", "DAY") VALUES\n  (1, 'a\tb', '2026-10-09'::DATE),\n  (12345678901234567890, '', NULL),\n  (3, NULL, '1970-01-01'::DATE),\n  (4, 'it''s \\\\ | <b> "q"\nnew', '1970-01-01'::DATE);\n`,
    );
    const json = copyWriter('insert', [{ name: 'V', type: 'variant', nullable: true }]);
    json.row(['{\n  "a": 1\n}']);
    expect(json.text()).toBe(
      `INSERT INTO MY_TABLE ("V")\nSELECT PARSE_JSON(column1) FROM VALUES\n  ('{"a": 1}');\n`,
    );
  });

  it('has JSON inside JSON, and names twice the same apart', () => {
    const writer = copyWriter('json', [
      { name: 'V', type: 'variant', nullable: true },
      { name: 'V', type: 'real', nullable: true },
    ]);
    writer.row(['[\n  undefined,\n  1\n]', 'NaN']);
    expect(JSON.parse(writer.text())).toEqual([{ V: [null, 1], V_2: 'NaN' }]);
  });

  it('is well formed without rows', () => {
    expect(JSON.parse(copyWriter('json', columns).text())).toEqual([]);
  });
});

describe('copying rows', () => {
  const one: ColumnType[] = [{ name: 'N', type: 'fixed', nullable: false }];
  const range = { firstRow: 0, lastRow: 11_999, firstColumn: 0, lastColumn: 0 };
  const sourceRow = (row: number) => row;

  it('says how many rows the limit left out', () => {
    const source = arrayRowSource(
      one,
      Array.from({ length: 12_000 }, (_, row) => [String(row)]),
    );
    const result = copyLoadedRows({ source, range, format: 'tsv', sourceRow, rowsMax: 10_000 });
    expect([result.rows, result.rowsLeftOut]).toEqual([10_000, 2_000]);
  });

  it('loads what is missing, window after window', async () => {
    const result = await copyAllRows({
      source: forgetfulSource(12_000),
      range,
      format: 'tsv',
      sourceRow,
      rowsMax: 100_000,
    });
    expect(result.text.split('\n')).toHaveLength(12_000);
    expect(result.text.endsWith('\n11999')).toBe(true);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const source: RowSource = { ...arrayRowSource(one, []), rowCount: 10, cell: () => undefined };
    const copying = copyAllRows({
      source,
      range: { ...range, lastRow: 9 },
      format: 'tsv',
      sourceRow,
      rowsMax: 100,
      signal: stop.signal,
    });
    stop.abort();
    await expect(copying).rejects.toThrow('Stopped');
  });

  /** Holds only the rows that were asked for last. */
  function forgetfulSource(rowCount: number): RowSource {
    let held = { first: 0, last: -1 };
    const listeners = new Set<() => void>();
    return {
      rowType: one,
      rowCount,
      ensure(first, last) {
        if (held.first === first && held.last === last) return;
        setTimeout(() => {
          held = { first, last };
          for (const listener of listeners) listener();
        }, 1);
      },
      cell: (row) => (row >= held.first && row <= held.last ? String(row) : undefined),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }
});
