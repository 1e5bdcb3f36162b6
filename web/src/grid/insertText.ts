import { typeFamily } from './cellText';
import { quoteIdentifier, quoteText } from './sqlText';
import type { Cell, ColumnType } from './types';

/** VALUES takes constants only, so columns of JSON are parsed in a SELECT over them. */
export function insertPrologue(table: string, columns: readonly ColumnType[]): string {
  const names = columns.map((column) => quoteIdentifier(column.name)).join(', ');
  const into = `INSERT INTO ${table} (${names})`;
  if (!columns.some((column) => conversion(column))) return `${into} VALUES\n`;
  const selected = columns.map((column, index) => {
    const name = `column${index + 1}`;
    return conversion(column)?.replace('?', name) ?? name;
  });
  return `${into}\nSELECT ${selected.join(', ')} FROM VALUES\n`;
}

export function insertRow(
  cells: readonly Cell[],
  columns: readonly ColumnType[],
  shown: (cell: Cell, index: number) => string,
): string {
  const values = cells.map((cell, index) => {
    const column = columns[index];
    return cell == null || !column ? 'NULL' : literal(cell, column, shown(cell, index));
  });
  return `  (${values.join(', ')})`;
}

function literal(cell: string, column: ColumnType, text: string): string {
  switch (typeFamily(column)) {
    case 'number':
      return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell) ? cell : `${quoteText(cell)}::FLOAT`;
    case 'boolean':
      return /^(?:true|false)$/i.test(cell) ? cell.toUpperCase() : quoteText(cell);
    case 'temporal':
      return `${quoteText(text)}::${column.type.toUpperCase()}`;
    default:
      return quoteText(text);
  }
}

function conversion(column: ColumnType): string | null {
  switch (column.type.toLowerCase()) {
    case 'binary':
      return "TO_BINARY(?, 'HEX')";
    case 'variant':
      return 'PARSE_JSON(?)';
    case 'object':
      return 'PARSE_JSON(?)::OBJECT';
    case 'array':
      return 'PARSE_JSON(?)::ARRAY';
    case 'geography':
      return 'TO_GEOGRAPHY(?)';
    case 'geometry':
      return 'TO_GEOMETRY(?)';
    default:
      return null;
  }
}
