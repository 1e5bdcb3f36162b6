// The columns of the table to be made: what INFER_SCHEMA found, made wide enough for later rows, under names of their own.
import { sqlName } from '../../sql/names';

export interface NewColumn {
  /** As INFER_SCHEMA names it in the file. */
  source: string;
  /** Place in the file, from 1. */
  place: number;
  name: string;
  /** What it was called at first. */
  proposed: string;
  /** The place of a column before it that has the name which the file gives to both. */
  sameAs: number | null;
  type: string;
  isTaken: boolean;
}

/** Types to choose from; others can be typed. */
export const TYPES = [
  'VARCHAR',
  'NUMBER(38,0)',
  'NUMBER(38,2)',
  'FLOAT',
  'BOOLEAN',
  'DATE',
  'TIME',
  'TIMESTAMP_NTZ',
  'TIMESTAMP_LTZ',
  'TIMESTAMP_TZ',
  'VARIANT',
  'BINARY',
] as const;

export function newColumns(found: readonly { source: string; type: string }[]): NewColumn[] {
  const places = new Map<string, number>();
  return found.map(({ source, type }, index) => {
    const plain = plainName(source);
    const name = freeName(plain || `C${index + 1}`, places);
    places.set(name, index + 1);
    return {
      source,
      place: index + 1,
      name,
      proposed: name,
      sameAs: plain === '' || name === plain ? null : (places.get(plain) ?? null),
      type: widened(type),
      isTaken: true,
    };
  });
}

const NOTES_MAX = 4;

/** What is to be said of names that the file does not give, or gives twice. Letter case tells none apart. */
export function nameNotes(columns: readonly NewColumn[]): string[] {
  const notes = columns.flatMap(({ source, place, sameAs, proposed }) => {
    if (plainName(source) === '')
      return `Column ${place} has no name in the file: it is ${proposed} here.`;
    if (sameAs === null) return [];
    return `Column ${place}, “${source}”, would have the name of column ${sameAs}: it is ${proposed} here.`;
  });
  const more = notes.length - NOTES_MAX;
  if (more <= 1) return notes;
  return [...notes.slice(0, NOTES_MAX), `${more} more columns were named in the same way.`];
}

/** NUMBER(1, 0) holds the file's values but not those of next month. */
export function widened(type: string): string {
  const number = /^NUMBER\s*\(\s*\d+\s*,\s*(\d+)\s*\)$/i.exec(type);
  if (number) return `NUMBER(38,${number[1]})`;
  if (/^(TEXT|VARCHAR|STRING)\b/i.test(type)) return 'VARCHAR';
  if (/^(REAL|DOUBLE|FLOAT)\b/i.test(type)) return 'FLOAT';
  return type.toUpperCase();
}

/** Without spaces, signs and the accents of Latin letters; empty where the file has no name. */
function plainName(source: string): string {
  const name = source
    .toUpperCase()
    .normalize('NFKD')
    .replaceAll(/([A-Z])\p{M}+/gu, '$1')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{Nd}_]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  return /^\p{Nd}/u.test(name) ? `_${name}` : name;
}

function freeName(name: string, taken: ReadonlyMap<string, number>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  return free;
}

/** A name as it was typed: without quotes in mind, letters count as upper case. */
export function typedName(text: string): string {
  const name = text.trim();
  return sqlName(/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name) ? name.toUpperCase() : name);
}

/** What is wrong with the columns, or null. */
export function problemOf(columns: readonly NewColumn[]): string | null {
  if (columns.length === 0) return 'The file has no columns; it may be empty.';
  const taken = columns.filter(({ isTaken }) => isTaken);
  if (taken.length === 0) return 'Take at least one column.';
  const names = new Set<string>();
  for (const { name, type, place } of taken) {
    if (name.trim() === '') return `Column ${place} has no name.`;
    const inSql = typedName(name);
    if (names.has(inSql)) return `Two columns are called ${inSql}.`;
    names.add(inSql);
    if (!isType(type)) return `“${type}” is not a type.`;
  }
  return null;
}

function isType(text: string): boolean {
  return /^[A-Za-z_][A-Za-z_ ]*(\([0-9, ]+\))?$/.test(text.trim());
}
