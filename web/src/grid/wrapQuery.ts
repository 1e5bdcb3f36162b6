import { typeFamily } from './cellText';
import { parseDecimal } from './decimal';
import { quoteIdentifier, quoteText } from './sqlText';
import type { ColumnFilter, ColumnSort, ColumnType, WrapRequest } from './types';

export function wrapRequest(
  rowType: readonly ColumnType[],
  sort: readonly ColumnSort[],
  filters: readonly ColumnFilter[],
): WrapRequest {
  return { sort, filters, toSql: (statement) => wrapQuery(statement, rowType, sort, filters) };
}

/** The statement with the sort and filters of the grid around it, so that they hold for all rows. */
export function wrapQuery(
  statement: string,
  rowType: readonly ColumnType[],
  sort: readonly ColumnSort[],
  filters: readonly ColumnFilter[],
): string {
  const names = derivedTable(statement, rowType);
  const lines = [`SELECT * FROM ${names.from}`];
  const conditions = filters.flatMap((filter) => {
    const column = rowType[filter.column];
    return column ? [condition(filter, column, names.column(filter.column))] : [];
  });
  if (conditions.length > 0) lines.push(`WHERE ${conditions.join('\n  AND ')}`);
  const order = sort.map((by) => names.column(by.column) + (by.descending ? ' DESC' : ''));
  if (order.length > 0) lines.push(`ORDER BY ${order.join(', ')}`);
  return lines.join('\n');
}

/** The statement in parentheses, its columns renamed where two have the same name. */
export function derivedTable(statement: string, rowType: readonly ColumnType[]) {
  const inner = statement.trim().replace(/(?:;\s*)+$/, '');
  const names = rowType.map((column) => column.name);
  const distinct = new Set(names).size === names.length;
  const columns = distinct ? names : names.map((_, index) => `C${index + 1}`);
  const alias = distinct ? 'result' : `result (${columns.map(quoteIdentifier).join(', ')})`;
  return {
    // The line break ends a comment at the statement's end.
    from: `(\n${inner}\n) AS ${alias}`,
    column: (index: number) => quoteIdentifier(columns[index] ?? ''),
  };
}

function condition(filter: ColumnFilter, column: ColumnType, name: string): string {
  const family = typeFamily(column);
  const text = family === 'text' ? name : `TO_VARCHAR(${name})`;
  switch (filter.operator) {
    case 'null':
      return `${name} IS NULL`;
    case 'not-null':
      return `${name} IS NOT NULL`;
    case 'contains':
      return `CONTAINS(LOWER(${text}), LOWER(${quoteText(filter.text)}))`;
    case 'starts-with':
      return `STARTSWITH(${text}, ${quoteText(filter.text)})`;
    case 'equals':
      return `${comparand(name, text, column)} = ${constant(filter.text, column)}`;
    case 'not-equals':
      return `${comparand(name, text, column)} <> ${constant(filter.text, column)}`;
    case 'less':
      return `${comparand(name, text, column)} < ${constant(filter.text, column)}`;
    case 'greater':
      return `${comparand(name, text, column)} > ${constant(filter.text, column)}`;
  }
}

function comparand(name: string, text: string, column: ColumnType): string {
  const family = typeFamily(column);
  return family === 'json' || family === 'binary' ? text : name;
}

function constant(text: string, column: ColumnType): string {
  switch (typeFamily(column)) {
    case 'number':
      return parseDecimal(text.trim()) ? text.trim() : `${quoteText(text)}::FLOAT`;
    case 'boolean':
      return /^(?:true|false)$/i.test(text.trim()) ? text.trim().toUpperCase() : quoteText(text);
    case 'temporal':
      return `${quoteText(text)}::${column.type.toUpperCase()}`;
    default:
      return quoteText(text);
  }
}
