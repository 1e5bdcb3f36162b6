// What kind of file was brought, told from its name and first bytes, and how SQL says so.
import { sqlText } from '../../sql/names';
import { firstRecords } from './firstRecords';

export type FileKind = 'CSV' | 'JSON' | 'PARQUET';

export interface FileFormat {
  kind: FileKind;
  /** Of CSV alone. */
  delimiter: string;
  hasHeader: boolean;
  encoding: string;
}

/** What the browser calls those that can be told from the bytes. */
const DECODERS = {
  UTF8: 'utf-8',
  UTF16LE: 'utf-16le',
  UTF16BE: 'utf-16be',
  WINDOWS1252: 'windows-1252',
};

/** Those that are offered; SQL knows more. */
export const ENCODINGS = [
  { id: 'UTF8', name: 'UTF-8' },
  { id: 'UTF16LE', name: 'UTF-16, little-endian' },
  { id: 'UTF16BE', name: 'UTF-16, big-endian' },
  { id: 'WINDOWS1252', name: 'Western (Windows-1252)' },
  { id: 'WINDOWS1250', name: 'Central European (Windows-1250)' },
  { id: 'WINDOWS1251', name: 'Cyrillic (Windows-1251)' },
  { id: 'ISO88591', name: 'Western (ISO 8859-1)' },
  { id: 'SHIFTJIS', name: 'Japanese (Shift JIS)' },
  { id: 'GB18030', name: 'Chinese (GB 18030)' },
  { id: 'EUCKR', name: 'Korean (EUC-KR)' },
];

const SAMPLE_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];

export async function guessFormat(file: File): Promise<FileFormat> {
  const bytes = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  return formatOf(file.name, bytes);
}

export function formatOf(name: string, bytes: Uint8Array): FileFormat {
  const isPacked = /\.(gz|bz2|zst|deflate)$/i.test(name);
  const ending = /\.([a-z]+)$/i
    .exec(name.replace(/\.(gz|bz2|zst|deflate)$/i, ''))?.[1]
    ?.toLowerCase();
  const encoding = isPacked ? 'UTF8' : guessEncoding(bytes);
  const text = isPacked ? '' : new TextDecoder(DECODERS[encoding]).decode(bytes);
  const isParquet = ending === 'parquet' || text.startsWith('PAR1');
  const isJson = /^(json|jsonl|ndjson)$/.test(ending ?? '') || /^\s*[[{]/.test(text);
  const isSeparated = /^(csv|tsv|txt)$/.test(ending ?? '');
  const kind = isParquet ? 'PARQUET' : isJson && !isSeparated ? 'JSON' : 'CSV';
  const delimiter = ending === 'tsv' ? '\t' : guessDelimiter(text);
  return { kind, delimiter, hasHeader: guessHeader(text, delimiter), encoding };
}

function guessEncoding(bytes: Uint8Array): keyof typeof DECODERS {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'UTF16LE';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'UTF16BE';
  try {
    // As a stream, for the last character may be cut in the middle.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'UTF8';
  } catch {
    return 'WINDOWS1252';
  }
}

/** The one that stands equally often, and most often, in the first lines. */
function guessDelimiter(text: string): string {
  const lines = text.split(/\r?\n/).slice(0, 12).filter(Boolean);
  let best = ',';
  let bestCount = 0;
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => withoutQuoted(line).split(delimiter).length - 1);
    const least = Math.min(...counts);
    if (lines.length > 0 && least > bestCount) {
      best = delimiter;
      bestCount = least;
    }
  }
  return best;
}

function withoutQuoted(line: string): string {
  return line.replaceAll(/"(?:[^"]|"")*"/g, '');
}

const LINES_COMPARED = 12;

/** Names are words, all different; values are often numbers, dates or empty. Where names are missing or stand twice, the lines
 * below must look otherwise. */
function guessHeader(text: string, delimiter: string): boolean {
  const [first, ...below] = firstRecords(text, delimiter, LINES_COMPARED);
  if (first === undefined || first.every((cell) => cell === '')) return true;
  const names = first.filter((cell) => cell !== '');
  if (!names.every(isWord)) return false;
  if (names.length === first.length && new Set(names).size === names.length) return true;
  return first.some((cell, at) => {
    const values = below.map((record) => record[at] ?? '').filter((value) => value !== '');
    return cell !== '' && values.length > 0 && values.every((value) => !isWord(value));
  });
}

const isWord = (cell: string) => Number.isNaN(Number(cell)) && !/^\d/.test(cell);

/** The options of CREATE FILE FORMAT by which INFER_SCHEMA reads the file. */
export function inferOptions(format: FileFormat): string {
  if (format.kind !== 'CSV') return otherOptions(format);
  return `${csvOptions(format)}${format.hasHeader ? ' PARSE_HEADER = TRUE' : ''}`;
}

/** The options of COPY INTO. */
export function copyOptions(format: FileFormat): string {
  if (format.kind !== 'CSV') return otherOptions(format);
  return `${csvOptions(format)}${format.hasHeader ? ' SKIP_HEADER = 1' : ''}`;
}

function csvOptions({ delimiter, encoding }: FileFormat): string {
  const shown = delimiter === '\t' ? "'\\t'" : sqlText(delimiter);
  const options = `TYPE = CSV FIELD_DELIMITER = ${shown} FIELD_OPTIONALLY_ENCLOSED_BY = '"'`;
  return encoding === 'UTF8' ? options : `${options} ENCODING = '${encoding}'`;
}

function otherOptions({ kind }: FileFormat): string {
  return kind === 'JSON' ? 'TYPE = JSON STRIP_OUTER_ARRAY = TRUE' : 'TYPE = PARQUET';
}
