import type { ColumnType } from '../grid/types';
import { derivedTable } from '../grid/wrapQuery';
import type { ChartChoice } from './types';

/** The statement grouped as the chart groups its loaded rows, so that it holds for all rows. */
export function chartQuery(
  statement: string,
  rowType: readonly ColumnType[],
  choice: ChartChoice,
): string {
  const table = derivedTable(statement, rowType);
  const places = [choice.x, choice.series].filter((column) => column !== null).map(table.column);
  const call = { none: 'SUM', sum: 'SUM', avg: 'AVG', count: 'COUNT', min: 'MIN', max: 'MAX' };
  const measures =
    choice.measures.length === 0
      ? ['COUNT(*) AS "rows"']
      : choice.measures.map((measure) => {
          const name = table.column(measure);
          const aggregate =
            choice.aggregation === 'count' ? 'COUNT(*)' : `${call[choice.aggregation]}(${name})`;
          return `${aggregate} AS ${name}`;
        });
  const lines = [`SELECT ${[...places, ...measures].join(', ')}`, `FROM ${table.from}`];
  if (places.length > 0) {
    const numbers = places.map((_, index) => index + 1).join(', ');
    lines.push(`GROUP BY ${numbers}`, `ORDER BY ${numbers}`);
  }
  return lines.join('\n');
}
