// The SQL that makes a table of a file.
import { sqlName, sqlText } from '../../sql/names';
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

export interface LoadStatements {
  create: string;
  load: string;
  table: string;
}

export function loadStatements(plan: LoadPlan): LoadStatements {
  const { table } = plan;
  const taken = plan.columns.filter(({ isTaken }) => isTaken);
  const lines = taken.map(({ name, type }) => `  ${typedName(name)} ${type.trim()}`);
  const create = `CREATE TABLE ${table} (\n${lines.join(',\n')}\n)`;
  return { create, load: copyStatement(plan, taken), table };
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

/** What COPY takes as the value of a column. */
export function valueIn({ source, place, type }: NewColumn, { kind }: FileFormat): string {
  if (kind === 'CSV') return `$${place}`;
  const wanted = type.trim();
  const value = `$1:${sqlName(source).startsWith('"') ? sqlName(source) : `"${source}"`}`;
  return /^VARIANT$/i.test(wanted) ? value : `${value}::${wanted}`;
}
