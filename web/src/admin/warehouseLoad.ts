// The load of the warehouses: what they did in each slice of a time, the empty slices too, so that the
// chart is one of time.
import { type LoadSlice, warehouseLoad } from '../api/history';
import { runQuery } from '../api/query';
import { inSomeDatabase } from '../api/someDatabase';
import { arrayRowSource, type ColumnType, type RowSource } from '../grid';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

interface Measure {
  id: string;
  name: string;
  /** Digits behind the point. */
  scale: number;
  /** Null: hours of the account's metering. */
  of: ((slice: LoadSlice) => number) | null;
}

export const MEASURES: readonly Measure[] = [
  { id: 'STATEMENTS', name: 'Statements', scale: 0, of: ({ statements }) => statements },
  {
    id: 'BUSY_SECONDS',
    name: 'Seconds of work',
    scale: 3,
    of: ({ elapsedMs, queuedMs }) => Math.max(0, elapsedMs - queuedMs) / SECOND_MS,
  },
  {
    id: 'QUEUED_SECONDS',
    name: 'Seconds of waiting',
    scale: 3,
    of: ({ queuedMs }) => queuedMs / SECOND_MS,
  },
  { id: 'CREDITS', name: 'Credits', scale: 9, of: null },
];

/** Slices are in minutes. */
export const TIMES = [
  { id: '6', name: 'Last 6 hours', slice: 5 },
  { id: '24', name: 'Last day', slice: 15 },
  { id: '168', name: 'Last 7 days', slice: 120 },
  { id: '336', name: 'Last 14 days', slice: 240 },
] as const;

/** A row for each slice and each warehouse that did something in the time. */
export async function loadLoad(
  measureId: string,
  hours: string,
  role: string | null,
  signal?: AbortSignal,
): Promise<RowSource> {
  const measure = MEASURES.find(({ id }) => id === measureId) ?? (MEASURES[0] as Measure);
  if (measure.of === null) return loadCredits(measure, hours, role, signal);
  const sliceMs = (TIMES.find(({ id }) => id === hours) ?? TIMES[1]).slice * MINUTE_MS;
  const last = Math.floor(Date.now() / sliceMs) * sliceMs;
  const count = Math.ceil((Number(hours) * 60 * MINUTE_MS) / sliceMs);
  const first = last - (count - 1) * sliceMs;
  const found = await warehouseLoad(first, sliceMs / SECOND_MS, role, signal);
  return filled(found, measure, { first, sliceMs, count });
}

interface Slices {
  first: number;
  sliceMs: number;
  count: number;
}

export function filled(
  found: readonly LoadSlice[],
  measure: Measure,
  { first, sliceMs, count }: Slices,
): RowSource {
  const values = new Map<string, number>();
  for (const slice of found) {
    values.set(`${slice.beginsOn} ${slice.warehouse}`, measure.of?.(slice) ?? 0);
  }
  const warehouses = [...new Set(found.map(({ warehouse }) => warehouse))].sort();
  const rows = Array.from({ length: count }, (_, index) => first + index * sliceMs).flatMap((ms) =>
    warehouses.map((warehouse) => [
      localSeconds(ms),
      warehouse,
      (values.get(`${ms} ${warehouse}`) ?? 0).toFixed(measure.scale),
    ]),
  );
  return arrayRowSource(columnsOf(measure), rows);
}

async function loadCredits(
  measure: Measure,
  hours: string,
  role: string | null,
  signal?: AbortSignal,
): Promise<RowSource> {
  const since = `DATEADD('hour', -${hours}, CURRENT_TIMESTAMP())`;
  const { rows } = await runQuery(
    "SELECT DATE_PART('epoch_second', START_TIME), WAREHOUSE_NAME, SUM(CREDITS_USED) " +
      `FROM TABLE(INFORMATION_SCHEMA.WAREHOUSE_METERING_HISTORY(${since})) GROUP BY 1, 2 ORDER BY 1, 2`,
    await inSomeDatabase({ role }, signal),
    signal,
  );
  const shown = rows.map(([seconds = null, warehouse = null, credits = null]) => [
    localSeconds(Number(seconds) * SECOND_MS),
    warehouse,
    credits,
  ]);
  return arrayRowSource(columnsOf(measure), shown);
}

/** A time as the clock on the wall shows it. */
function localSeconds(ms: number): string {
  return String((ms - new Date(ms).getTimezoneOffset() * MINUTE_MS) / SECOND_MS);
}

function columnsOf({ name, scale }: Measure): ColumnType[] {
  return [
    { name: 'Time', type: 'timestamp_ntz', nullable: false, precision: 0, scale: 0 },
    { name: 'Warehouse', type: 'text', nullable: false },
    { name, type: 'fixed', nullable: false, precision: 38, scale },
  ];
}
