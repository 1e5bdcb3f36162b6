import { cellText, typeFamily } from '../grid/cellText';
import type { RowSource } from '../grid/types';
import type { ChartData } from './chartData';
import { groupedNumber } from './numberText';
import type { ChartChoice } from './types';

export interface NumberChartProps {
  source: RowSource;
  choice: ChartChoice;
  data: ChartData;
  label: string;
}

/** Figures as large text, with every digit. */
export function NumberChart({ source, choice, data, label }: NumberChartProps) {
  return (
    <dl className="firn-chart-numbers" aria-label={label}>
      {data.series.map(({ name, values }, index) => {
        const column = source.rowType[choice.measures[index] ?? -1];
        const value = values[0] ?? null;
        const isNumber =
          !column || typeFamily(column) === 'number' || choice.aggregation !== 'none';
        return (
          <div key={name}>
            <dt>{choice.aggregation === 'none' ? name : `${choice.aggregation} of ${name}`}</dt>
            <dd>
              {value === null
                ? 'NULL'
                : isNumber
                  ? groupedNumber(value)
                  : cellText(value, column, source.timeZone)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
