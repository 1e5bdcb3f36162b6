import { jsonInOneLine } from './jsonText';
import {
  dateText,
  timestampLtzText,
  timestampText,
  timestampTzText,
  timeText,
} from './temporalText';
import type { ColumnType } from './types';

export type TypeFamily = 'number' | 'text' | 'boolean' | 'temporal' | 'binary' | 'json';

export function typeFamily(column: Pick<ColumnType, 'type'>): TypeFamily {
  switch (column.type.toLowerCase()) {
    case 'fixed':
    case 'real':
    case 'decfloat':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'date':
    case 'time':
    case 'timestamp_ntz':
    case 'timestamp_ltz':
    case 'timestamp_tz':
      return 'temporal';
    case 'binary':
      return 'binary';
    case 'variant':
    case 'object':
    case 'array':
    case 'map':
    case 'vector':
    case 'geography':
    case 'geometry':
      return 'json';
    default:
      return 'text';
  }
}

/** The whole value in the form in which people read and copy it. Text that is not in the wire's
 * own encoding (the statement may set output formats) stays as it came. */
export function cellText(
  value: string,
  column: Pick<ColumnType, 'type'>,
  timeZone = 'UTC',
): string {
  switch (column.type.toLowerCase()) {
    case 'date':
      return dateText(value);
    case 'time':
      return timeText(value);
    case 'timestamp_ntz':
      return timestampText(value);
    case 'timestamp_ltz':
      return timestampLtzText(value, timeZone);
    case 'timestamp_tz':
      return timestampTzText(value);
    case 'variant':
    case 'object':
    case 'array':
    case 'map':
    case 'geography':
    case 'geometry':
      return jsonInOneLine(value);
    default:
      return value;
  }
}

const SHOWN_CHARACTERS_MAX = 600;

/** What a cell of the grid shows: one line, and no more than fits into the widest column. */
export function shownCellText(
  value: string,
  column: Pick<ColumnType, 'type'>,
  timeZone = 'UTC',
): string {
  const cut = value.length > SHOWN_CHARACTERS_MAX * 4;
  const text = cellText(cut ? value.slice(0, SHOWN_CHARACTERS_MAX * 4) : value, column, timeZone);
  const line = /[\n\r\t]/.test(text)
    ? text.replace(/\r\n|\r|\n/g, '↵').replaceAll('\t', '⇥')
    : text;
  return line.length > SHOWN_CHARACTERS_MAX || cut
    ? `${line.slice(0, SHOWN_CHARACTERS_MAX)}…`
    : line;
}

/** A sign of one to three letters for the header. */
export function typeSign(column: Pick<ColumnType, 'type' | 'scale'>): string {
  switch (column.type.toLowerCase()) {
    case 'fixed':
      return column.scale ? '1.0' : '123';
    case 'real':
    case 'decfloat':
      return '~1.0';
    case 'boolean':
      return 'T/F';
    case 'date':
      return 'date';
    case 'time':
      return 'time';
    case 'timestamp_ntz':
    case 'timestamp_ltz':
      return 'd+t';
    case 'timestamp_tz':
      return 'd+tz';
    case 'binary':
      return '0x';
    case 'array':
    case 'vector':
      return '[ ]';
    case 'variant':
    case 'object':
    case 'map':
      return '{ }';
    case 'geography':
    case 'geometry':
      return 'geo';
    default:
      return 'abc';
  }
}

/** The type as SQL writes it. */
export function sqlTypeName(column: Pick<ColumnType, 'type' | 'precision' | 'scale' | 'length'>) {
  const type = column.type.toLowerCase();
  if (type === 'fixed') return `NUMBER(${column.precision ?? 38}, ${column.scale ?? 0})`;
  if (type === 'real') return 'FLOAT';
  if (type === 'text') return column.length ? `VARCHAR(${column.length})` : 'VARCHAR';
  if (/^time/.test(type) && column.scale != null && column.scale !== 9) {
    return `${type.toUpperCase()}(${column.scale})`;
  }
  return type.toUpperCase();
}

export function columnTitle(column: ColumnType): string {
  const lines = [
    `${column.name}: ${sqlTypeName(column)}`,
    column.nullable ? 'nullable' : 'not null',
  ];
  if (column.comment) lines.push(column.comment);
  return lines.join('\n');
}
