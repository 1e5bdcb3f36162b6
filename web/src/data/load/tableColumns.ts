// The columns of the table to be made: what INFER_SCHEMA found, made wide enough for later rows.
import { sqlName } from '../../api/query';

export interface NewColumn {
  /** As INFER_SCHEMA names it in the file. */
  source: string;
  /** Place in the file, from 1. */
  place: number;
  name: string;
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
  const taken = new Set<string>();
  return found.map(({ source, type }, index) => ({
    source,
    place: index + 1,
    name: freeName(plainName(source, index), taken),
    type: widened(type),
    isTaken: true,
  }));
}

/** NUMBER(1, 0) holds the file's values but not those of next month. */
export function widened(type: string): string {
  const number = /^NUMBER\s*\(\s*\d+\s*,\s*(\d+)\s*\)$/i.exec(type);
  if (number) return `NUMBER(38,${number[1]})`;
  if (/^(TEXT|VARCHAR|STRING)\b/i.test(type)) return 'VARCHAR';
  if (/^(REAL|DOUBLE|FLOAT)\b/i.test(type)) return 'FLOAT';
  return type.toUpperCase();
}

function plainName(source: string, index: number): string {
  const name = source
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase();
  if (name === '') return `C${index + 1}`;
  return /^[0-9]/.test(name) ? `_${name}` : name;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  taken.add(free);
  return free;
}

/** A name as it was typed: without quotes in mind, letters count as upper case. */
export function typedName(text: string): string {
  const name = text.trim();
  return sqlName(/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name) ? name.toUpperCase() : name);
}

/** What is wrong with the columns, or null. */
export function problemOf(columns: readonly NewColumn[]): string | null {
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
