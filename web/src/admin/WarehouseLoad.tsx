import { lazy, Suspense, useState } from 'react';
import { ApiFailure } from '../api/failure';
import { CONSOLE_TAG } from '../api/query';
import { ResultSource } from '../api/resultSource';
import { submit, untilEnded } from '../api/statements';
import { announce } from '../components/announce';
import { Button } from '../components/Button';
import { Select } from '../components/Select';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { ResultPane } from '../grid';
import { useRole } from '../shell/role';

const ResultChart = lazy(() =>
  import('../charts').then(({ ResultChart: component }) => ({ default: component })),
);

const MEASURES = [
  { id: 'STATEMENTS', name: 'Statements', value: 'COUNT(*)' },
  { id: 'BUSY_SECONDS', name: 'Seconds of work', value: 'SUM(TOTAL_ELAPSED_TIME) / 1000' },
  {
    id: 'QUEUED_SECONDS',
    name: 'Seconds of waiting',
    value: 'COALESCE(SUM(QUEUED_OVERLOAD_TIME), 0) / 1000',
  },
  { id: 'CREDITS', name: 'Credits', value: null },
] as const;

const TIMES = [
  { id: '6', name: 'Last 6 hours', slice: 5 },
  { id: '24', name: 'Last day', slice: 15 },
  { id: '168', name: 'Last 7 days', slice: 120 },
  { id: '336', name: 'Last 14 days', slice: 240 },
] as const;

/** What the warehouses did over time. */
export function WarehouseLoad() {
  const role = useRole();
  const [measure, setMeasure] = useState<string>('STATEMENTS');
  const [hours, setHours] = useState<string>('24');
  const [isTable, setTable] = useState(false);
  const statement = loadQuery(measure, hours);
  const { value, error, reload } = useRemote(`${role} ${statement}`, async (signal) => {
    const parameters = { query_tag: CONSOLE_TAG };
    const first = await submit({ statement, role, parameters, isOwn: true }, signal);
    const answer = await untilEnded(first, signal);
    if (answer.kind === 'failed') throw new ApiFailure(422, answer);
    return new ResultSource(answer);
  });
  const label = `Load of the warehouses: ${MEASURES.find(({ id }) => id === measure)?.name}`;
  return (
    <section aria-label="Load">
      <div className="admin-bar">
        <h2>Load</h2>
        <Select label="Measure" value={measure} choices={MEASURES} onChange={setMeasure} />
        <Select label="Time" value={hours} choices={TIMES} onChange={setHours} />
        <Button onPress={() => setTable(!isTable)}>{isTable ? 'As a chart' : 'As a table'}</Button>
        <Button onPress={reload}>Read again</Button>
      </div>
      {error ? (
        <ErrorNote message={error} />
      ) : !value ? (
        <Waiting />
      ) : value.rowCount === 0 ? (
        <EmptyState title="Nothing ran in this time" />
      ) : (
        <div className="warehouse-chart">
          {isTable ? (
            <ResultPane source={value} label={label} onAnnounce={announce} />
          ) : (
            <Suspense fallback={<Waiting />}>
              <ResultChart
                source={value}
                label={label}
                fileName="warehouses"
                pickers="folded"
                choice={{
                  type: 'bar',
                  x: 0,
                  series: 1,
                  measures: [2],
                  aggregation: 'sum',
                  stacked: true,
                  horizontal: false,
                }}
                onShowTable={() => setTable(true)}
              />
            </Suspense>
          )}
        </div>
      )}
    </section>
  );
}

function loadQuery(measure: string, hours: string): string {
  const { slice } = TIMES.find(({ id }) => id === hours) ?? TIMES[1];
  const since = `DATEADD('hour', -${hours}, CURRENT_TIMESTAMP())`;
  const value = MEASURES.find(({ id }) => id === measure)?.value;
  if (!value) {
    return (
      'SELECT START_TIME AS "Time", WAREHOUSE_NAME AS "Warehouse", SUM(CREDITS_USED) AS "Credits" ' +
      `FROM TABLE(INFORMATION_SCHEMA.WAREHOUSE_METERING_HISTORY(${since})) GROUP BY 1, 2 ORDER BY 1`
    );
  }
  const name = MEASURES.find(({ id }) => id === measure)?.name ?? measure;
  return (
    `SELECT TIME_SLICE(START_TIME::TIMESTAMP_NTZ, ${slice}, 'MINUTE') AS "Time", ` +
    `WAREHOUSE_NAME AS "Warehouse", ${value} AS "${name}" ` +
    `FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(END_TIME_RANGE_START => ${since}, RESULT_LIMIT => 10000)) ` +
    'WHERE WAREHOUSE_NAME IS NOT NULL GROUP BY 1, 2 ORDER BY 1'
  );
}
