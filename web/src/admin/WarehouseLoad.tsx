import { lazy, Suspense, useState } from 'react';
import { announce } from '../components/announce';
import { Button } from '../components/Button';
import { Select } from '../components/Select';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { ResultPane } from '../grid';
import { useRole } from '../shell/role';
import { loadLoad, MEASURES, TIMES } from './warehouseLoad';

const ResultChart = lazy(() =>
  import('../charts').then(({ ResultChart: component }) => ({ default: component })),
);

/** What the warehouses did over time. */
export function WarehouseLoad() {
  const role = useRole();
  const [measure, setMeasure] = useState<string>('STATEMENTS');
  const [hours, setHours] = useState<string>('24');
  const [isTable, setTable] = useState(false);
  const { value, error, reload } = useRemote(`${role} ${measure} ${hours}`, (signal) =>
    loadLoad(measure, hours, role, signal),
  );
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
