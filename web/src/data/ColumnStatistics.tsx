import { runObjects, sqlName } from '../api/query';
import { FactList, PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { shownCount } from '../components/shownTime';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { type ObjectRef, refPath } from './objectRef';

const FREQUENT = 6;

interface ColumnStatisticsProps {
  object: ObjectRef;
  column: string;
  type: string;
}

/** Counted over all rows, once somebody asks. */
export function ColumnStatistics({ object, column, type }: ColumnStatisticsProps) {
  const role = useRole();
  const path = refPath(object);
  const { value, error } = useRemote(`${role} ${path} ${column}`, async (signal) => {
    const context = { role, database: object.database, schema: object.schema ?? null };
    const [totals, frequent] = await Promise.all([
      runObjects(totalsQuery(path, column, type), context, signal),
      isComparable(type) ? runObjects(frequentQuery(path, column), context, signal) : [],
    ]);
    return { totals: totals[0] ?? {}, frequent };
  });
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting>Counting …</Waiting>;
  const { totals, frequent } = value;
  const count = (text: string | null | undefined) =>
    text == null ? null : shownCount(Number(text));
  return (
    <div className="data-statistics">
      <FactList
        facts={[
          ['Rows', count(totals.row_count)],
          ['NULL', count(totals.null_count)],
          ['Distinct, about', count(totals.distinct_count)],
          ['Least', totals.least],
          ['Greatest', totals.greatest],
          ['Average', totals.average],
        ]}
      />
      {frequent.length > 0 && (
        <PlainTable
          label={`Most frequent values of ${column}`}
          rows={frequent.map((row, index) => ({ ...row, index }) as Frequent)}
          rowKey={({ index }) => index}
          columns={[
            {
              name: 'Most frequent',
              cell: (row) => row.value ?? <i className="secondary">NULL</i>,
            },
            { name: 'Rows', look: 'number', cell: (row) => count(row.row_count) },
          ]}
        />
      )}
    </div>
  );
}

interface Frequent {
  index: number;
  value: string | null;
  row_count: string | null;
}

function isComparable(type: string): boolean {
  return !/^(VARIANT|OBJECT|ARRAY|GEO|VECTOR|MAP)/.test(type);
}

function totalsQuery(path: string, column: string, type: string): string {
  const name = sqlName(column);
  const measures = [
    'COUNT(*) AS ROW_COUNT',
    `COUNT(*) - COUNT(${name}) AS NULL_COUNT`,
    ...(isComparable(type)
      ? [
          `APPROX_COUNT_DISTINCT(${name}) AS DISTINCT_COUNT`,
          `TO_VARCHAR(MIN(${name})) AS LEAST`,
          `TO_VARCHAR(MAX(${name})) AS GREATEST`,
        ]
      : []),
    ...(/^(NUMBER|FLOAT|DECFLOAT)/.test(type) ? [`AVG(${name}) AS AVERAGE`] : []),
  ];
  return `SELECT ${measures.join(', ')} FROM ${path}`;
}

function frequentQuery(path: string, column: string): string {
  return (
    `SELECT TO_VARCHAR(${sqlName(column)}) AS VALUE, COUNT(*) AS ROW_COUNT FROM ${path} ` +
    `GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${FREQUENT}`
  );
}
