// The SQL that makes a table of a file. Both statements run as one set.
import { sqlName, sqlText } from '../../api/query';
import { copyOptions, type FileFormat } from './fileFormat';
import { type NewColumn, typedName } from './tableColumns';

export interface LoadPlan {
  /** The table's name in SQL. */
  table: string;
  /** The file's place on the user's own stage. */
  path: string;
  format: FileFormat;
  columns: readonly NewColumn[];
}

export function loadStatements(plan: LoadPlan): string[] {
  const taken = plan.columns.filter(({ isTaken }) => isTaken);
  const lines = taken.map(({ name, type }) => `  ${typedName(name)} ${type.trim()}`);
  return [`CREATE TABLE ${plan.table} (\n${lines.join(',\n')}\n)`, copyStatement(plan, taken)];
}

function copyStatement(plan: LoadPlan, taken: readonly NewColumn[]): string {
  const { table, path, format, columns } = plan;
  const place = sqlText(`@~/${path}`);
  const end = `FILE_FORMAT = (${copyOptions(format)})`;
  // Every column of a CSV file in its order is what the engine reads quickest.
  if (format.kind === 'CSV' && taken.length === columns.length) {
    return `COPY INTO ${table}\nFROM ${place}\n${end}`;
  }
  const values = taken.map((column) => `    ${valueIn(column, format)}`);
  return `COPY INTO ${table}\nFROM (\n  SELECT\n${values.join(',\n')}\n  FROM ${place}\n)\n${end}`;
}

function valueIn({ source, place, type }: NewColumn, { kind }: FileFormat): string {
  if (kind === 'CSV') return `$${place}`;
  const wanted = type.trim();
  const value = `$1:${sqlName(source).startsWith('"') ? sqlName(source) : `"${source}"`}`;
  return /^VARIANT$/i.test(wanted) ? value : `${value}::${wanted}`;
}
