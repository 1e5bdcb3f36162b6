import type { Ref } from 'react';

// What the grid asks of a result and what it tells its surroundings. The grid never fetches: a
// RowSource decides which rows are in memory, the grid shows the others as grey cells.

/** One entry of `resultSetMetaData.rowType`. */
export interface ColumnType {
  name: string;
  /** The wire's name in lower case: fixed, real, text, binary, boolean, date, time,
   * timestamp_ntz, timestamp_ltz, timestamp_tz, variant, object, array, vector … */
  type: string;
  nullable: boolean;
  precision?: number | null;
  scale?: number | null;
  length?: number | null;
  byteLength?: number | null;
  database?: string;
  schema?: string;
  table?: string;
  collation?: string | null;
  /** Shown in the header's title where it is known. */
  comment?: string | null;
}

/** Undefined: not loaded. Null: SQL NULL. Otherwise the text as it came over the wire. */
export type Cell = string | null | undefined;

export interface RowSource {
  readonly rowType: readonly ColumnType[];
  /** Rows of the whole result, loaded or not. */
  readonly rowCount: number;
  /** Asks for the rows first..=last to be loaded. Cheap to call again with the same range: the
   * grid calls it while scrolling. Rows outside may be dropped from memory. */
  ensure(first: number, last: number): void;
  /** Never waits. */
  cell(row: number, column: number): Cell;
  /** Called back whenever rows arrive, are dropped or fail. Returns how to stop. */
  subscribe(listener: () => void): () => void;
  /** Set if the server cut the result: how many rows are there of more that exist. */
  readonly truncatedAt?: number;
  /** Name of the session's time zone ("Europe/Oslo"), for TIMESTAMP_LTZ; UTC if absent. */
  readonly timeZone?: string;
  /** Set while rows that were asked for cannot be loaded; shown above the grid. */
  readonly error?: string | null;
}

export interface CellPosition {
  row: number;
  column: number;
}

/** Inclusive on all sides. */
export interface CellRange {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

export type CopyFormat = 'tsv' | 'tsv-header' | 'csv' | 'json' | 'markdown' | 'insert';

export type FilterOperator =
  | 'contains'
  | 'equals'
  | 'not-equals'
  | 'starts-with'
  | 'less'
  | 'greater'
  | 'null'
  | 'not-null';

export interface ColumnFilter {
  column: number;
  operator: FilterOperator;
  /** As typed, in the form in which cells are shown. Empty for null and not-null. */
  text: string;
}

export interface ColumnSort {
  column: number;
  descending: boolean;
}

/** What "wrap in a query" should ask of all rows, in place of the loaded ones. */
export interface WrapRequest {
  sort: readonly ColumnSort[];
  filters: readonly ColumnFilter[];
  /** The statement in the dialect, once the caller says what stands in its FROM clause. */
  toSql(statement: string): string;
}

export interface ResultGridProps {
  /** Another object is another result: selection, widths and sort begin anew. */
  source: RowSource;
  /** Accessible name: "Result of statement 2". */
  label: string;
  /** Enter, double click, or the value button of the footer. */
  onOpenCell?: (position: CellPosition) => void;
  /** The active cell moved: an open value panel may follow it. */
  onActiveCell?: (position: CellPosition) => void;
  /** Given if the statement can be run again around the result. */
  onWrapQuery?: (request: WrapRequest) => void;
  /** "Download all" in the footer, if given. */
  onDownload?: () => void;
  /** Name of the table in copied INSERT statements. */
  insertTable?: string;
  /** Rows that copying and statistics may load at most; above it the copy says where it ended. */
  copyRowsMax?: number;
  /** Spoken by the caller's live region; without it the grid has one of its own. */
  onAnnounce?: (message: string) => void;
  className?: string;
  ref?: Ref<ResultGridHandle>;
}

export interface ResultGridHandle {
  focus(): void;
  /** Moves the active cell, in the order of rows that is shown. */
  move(rows: number, columns: number): void;
  /** A row of the result, counted from 0. */
  goToRow(row: number): void;
}

export interface ValuePanelProps {
  column: ColumnType;
  value: Cell;
  timeZone?: string;
  /** Place of the cell, counted from 1 for the heading. */
  row: number;
  /** The name of the grid, which tells this panel from those of other grids. */
  gridLabel: string;
  onClose: () => void;
  /** Neighbours of the cell, for the panel's arrows. */
  onMove?: (rows: number, columns: number) => void;
}
