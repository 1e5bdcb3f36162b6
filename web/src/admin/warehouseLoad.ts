// The statement behind the load of the warehouses: what they did in each slice of a time, the empty
// slices too, so that the chart is one of time.

export const MEASURES = [
  { id: 'STATEMENTS', name: 'Statements', value: 'COUNT(START_TIME)' },
  {
    id: 'BUSY_SECONDS',
    name: 'Seconds of work',
    value: 'COALESCE(SUM(TOTAL_ELAPSED_TIME), 0) / 1000',
  },
  {
    id: 'QUEUED_SECONDS',
    name: 'Seconds of waiting',
    value: 'COALESCE(SUM(QUEUED_OVERLOAD_TIME), 0) / 1000',
  },
  { id: 'CREDITS', name: 'Credits', value: null },
] as const;

export const TIMES = [
  { id: '6', name: 'Last 6 hours', slice: 5 },
  { id: '24', name: 'Last day', slice: 15 },
  { id: '168', name: 'Last 7 days', slice: 120 },
  { id: '336', name: 'Last 14 days', slice: 240 },
] as const;

export function loadQuery(measure: string, hours: string): string {
  const { slice } = TIMES.find(({ id }) => id === hours) ?? TIMES[1];
  const since = `DATEADD('hour', -${hours}, CURRENT_TIMESTAMP())`;
  const { name, value } = MEASURES.find(({ id }) => id === measure) ?? MEASURES[0];
  if (value === null) {
    return (
      'SELECT START_TIME AS "Time", WAREHOUSE_NAME AS "Warehouse", SUM(CREDITS_USED) AS "Credits" ' +
      `FROM TABLE(INFORMATION_SCHEMA.WAREHOUSE_METERING_HISTORY(${since})) GROUP BY 1, 2 ORDER BY 1`
    );
  }
  const slices = Math.ceil((Number(hours) * 60) / slice);
  const slicedAt = (time: string) => `TIME_SLICE(${time}::TIMESTAMP_NTZ, ${slice}, 'MINUTE')`;
  return (
    'WITH statements AS (SELECT START_TIME, WAREHOUSE_NAME, TOTAL_ELAPSED_TIME, QUEUED_OVERLOAD_TIME ' +
    `FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(END_TIME_RANGE_START => ${since}, RESULT_LIMIT => 10000)) ` +
    'WHERE WAREHOUSE_NAME IS NOT NULL), ' +
    `slices AS (SELECT DATEADD('minute', -${slice} * SEQ4(), ${slicedAt('CURRENT_TIMESTAMP()')}) AS slice ` +
    `FROM TABLE(GENERATOR(ROWCOUNT => ${slices}))), ` +
    'warehouses AS (SELECT DISTINCT WAREHOUSE_NAME AS warehouse FROM statements) ' +
    `SELECT slice AS "Time", warehouse AS "Warehouse", ${value} AS "${name}" ` +
    `FROM slices CROSS JOIN warehouses LEFT JOIN statements ON WAREHOUSE_NAME = warehouse ` +
    `AND ${slicedAt('START_TIME')} = slice GROUP BY 1, 2 ORDER BY 1`
  );
}
