import { count } from '../grid/counts';
import type { ChartData } from './chartData';
import { groupedNumber } from './numberText';

const ROWS_SHOWN = 200;

interface ChartTableProps {
  data: ChartData;
  x: string;
  /** The name of the chart, which tells its figures from those of other charts. */
  label: string;
}

/** The drawn figures as a table, for screen readers and for everyone who wants the numbers. */
export function ChartTable({ data, x, label }: ChartTableProps) {
  const rows = data.points.length > 0 ? pointRows(data) : categoryRows(data);
  const names = data.points.length > 0 ? ['series', 'y'] : data.series.map((series) => series.name);
  return (
    <details className="firn-chart-data">
      <summary>Figures of the chart</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys */}
      <section className="firn-chart-table" tabIndex={0} aria-label={`Figures: ${label}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{x}</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_SHOWN).map(([name, ...values], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: labels may stand twice
              <tr key={index}>
                <th scope="row">{name}</th>
                {values.map((value, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                  <td key={column}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > ROWS_SHOWN && <p>{count(rows.length - ROWS_SHOWN)} more are not listed.</p>}
      </section>
    </details>
  );
}

function categoryRows(data: ChartData): string[][] {
  return data.categories.map((category, index) => [
    category,
    ...data.series.map((series) => groupedNumber(series.values[index] ?? '')),
  ]);
}

function pointRows(data: ChartData): string[][] {
  return data.points.flatMap(({ name, points }) =>
    points.map(([x, y]) => [String(x), name, String(y)]),
  );
}
