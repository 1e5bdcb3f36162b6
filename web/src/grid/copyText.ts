// Loaded cells as text for the clipboard, row by row so that long copies can be made in pieces.

import { cellText, typeFamily } from './cellText';
import { insertPrologue, insertRow } from './insertText';
import { strictJson } from './jsonText';
import type { Cell, ColumnType, CopyFormat } from './types';

export const COPY_FORMATS: readonly { format: CopyFormat; name: string }[] = [
  { format: 'tsv', name: 'TSV' },
  { format: 'tsv-header', name: 'TSV with header' },
  { format: 'csv', name: 'CSV' },
  { format: 'json', name: 'JSON' },
  { format: 'markdown', name: 'Markdown' },
  { format: 'insert', name: 'INSERT' },
];

export interface CopyWriter {
  row(cells: readonly Cell[]): void;
  /** Characters so far. */
  readonly length: number;
  text(): string;
}

export interface CopySettings {
  timeZone?: string;
  insertTable?: string;
}

export function copyWriter(
  format: CopyFormat,
  columns: readonly ColumnType[],
  settings: CopySettings = {},
): CopyWriter {
  const parts: string[] = [];
  let length = 0;
  let rows = 0;
  const put = (text: string) => {
    parts.push(text);
    length += text.length;
  };
  const style = rowStyle(format, columns, settings);
  put(style.before);
  return {
    row(cells) {
      if (rows > 0) put(style.between);
      put(style.row(cells));
      rows++;
    },
    get length() {
      return length;
    },
    text: () => parts.join('') + (rows === 0 && style.afterNone ? style.afterNone : style.after),
  };
}

interface RowStyle {
  before: string;
  between: string;
  after: string;
  afterNone?: string;
  row(cells: readonly Cell[]): string;
}

function rowStyle(
  format: CopyFormat,
  columns: readonly ColumnType[],
  settings: CopySettings,
): RowStyle {
  const shown = (cell: Cell, index: number): string => {
    const column = columns[index];
    return cell == null || !column ? '' : cellText(cell, column, settings.timeZone);
  };
  const names = columns.map((column) => column.name);
  switch (format) {
    case 'tsv':
    case 'tsv-header': {
      const header = names.map(tsvField).join('\t');
      return {
        before: format === 'tsv' ? '' : `${header}\n`,
        between: '\n',
        after: '',
        row: (cells) => cells.map((cell, index) => tsvField(shown(cell, index))).join('\t'),
      };
    }
    case 'csv':
      return {
        before: `${names.map(csvField).join(',')}\r\n`,
        between: '\r\n',
        after: '\r\n',
        afterNone: '',
        // NULL is nothing, the empty text is "", so that both come back as they were.
        row: (cells) =>
          cells
            .map((cell, index) =>
              cell == null ? '' : cell === '' ? '""' : csvField(shown(cell, index)),
            )
            .join(','),
      };
    case 'json': {
      const keys = distinctNames(names).map((name) => JSON.stringify(name));
      return {
        before: '[\n',
        between: ',\n',
        after: '\n]\n',
        afterNone: ']\n',
        row: (cells) =>
          `  {${cells.map((cell, index) => `${keys[index]}: ${jsonValue(cell, columns[index], shown(cell, index))}`).join(', ')}}`,
      };
    }
    case 'markdown':
      return {
        before: `| ${names.map(markdownField).join(' | ')} |\n|${columns
          .map((column) => (typeFamily(column) === 'number' ? ' ---: ' : ' --- '))
          .join('|')}|\n`,
        between: '\n',
        after: '\n',
        afterNone: '',
        row: (cells) =>
          `| ${cells
            .map((cell, index) => (cell == null ? 'NULL' : markdownField(shown(cell, index))))
            .join(' | ')} |`,
      };
    case 'insert':
      return {
        before: insertPrologue(settings.insertTable ?? 'MY_TABLE', columns),
        between: ',\n',
        after: ';\n',
        row: (cells) => insertRow(cells, columns, shown),
      };
  }
}

/** Quoted as spreadsheets do, so that tabs and line breaks stay inside their cell. */
function tsvField(text: string): string {
  return /[\t\n\r]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvField(text: string): string {
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function markdownField(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replace(/\r\n|\r|\n/g, '<br>');
}

function jsonValue(cell: Cell, column: ColumnType | undefined, text: string): string {
  if (cell == null || !column) return 'null';
  switch (typeFamily(column)) {
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell)
        ? cell
        : JSON.stringify(cell);
    case 'boolean':
      return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() : JSON.stringify(cell);
    case 'json':
      return strictJson(cell);
    default:
      return JSON.stringify(text);
  }
}

function distinctNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let number = 2; seen.has(distinct); number++) distinct = `${name}_${number}`;
    seen.add(distinct);
    return distinct;
  });
}
