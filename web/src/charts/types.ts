import type { RowSource } from '../grid/types';

export type ChartType = 'bar' | 'line' | 'area' | 'scatter' | 'pie' | 'number';
export type Aggregation = 'none' | 'sum' | 'avg' | 'count' | 'min' | 'max';

/** What is drawn. Columns are named by their index in rowType. */
export interface ChartChoice {
  type: ChartType;
  /** Categories, times or the first measure of dots. Null: the number of the row. */
  x: number | null;
  /** Column whose values become one series each. */
  series: number | null;
  /** Empty with the aggregation count: counts rows. */
  measures: readonly number[];
  aggregation: Aggregation;
  stacked: boolean;
  horizontal: boolean;
}

/** What "group in a query" should compute over all rows, in place of the loaded ones. */
export interface ChartQueryRequest {
  choice: ChartChoice;
  toSql(statement: string): string;
}

export interface ResultChartProps {
  source: RowSource;
  /** Accessible name: "Chart of statement 2". */
  label: string;
  /** Kept choice of an earlier run; without it the first choice is made from the columns. */
  choice?: ChartChoice | null;
  onChoiceChange?: (choice: ChartChoice) => void;
  /** Name of exported files, without ending. */
  fileName?: string;
  /** Shows the grid, which is the chart's alternative as a table. */
  onShowTable?: () => void;
  /** Given if the statement can be run again around the result. */
  onWrapQuery?: (request: ChartQueryRequest) => void;
  /** The pickers are folded away beside an analyst's answer. */
  pickers?: 'shown' | 'folded';
  className?: string;
}
