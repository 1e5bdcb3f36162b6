import { runQuery } from '../api/query';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { type ObjectRef, refPath } from './objectRef';

interface DetailRow {
  cells: (string | null)[];
  index: number;
}

/** What DESC says, as it says it. */
export function DetailsTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const statement = `DESC ${object.kind.toUpperCase()} ${refPath(object)}`;
  const context = { role, database: object.database, schema: object.schema ?? null };
  const { value, error } = useRemote(`${role} ${statement}`, (signal) =>
    runQuery(statement, context, signal),
  );
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const { columns, rows } = value;
  const used = columns
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => rows.some((row) => row[index]));
  return (
    <div className="data-panel">
      <PlainTable
        label={`Details of ${object.name}`}
        rows={rows.map((cells, index) => ({ cells, index }))}
        rowKey={(row: DetailRow) => row.index}
        columns={used.map(({ name, index }) => ({
          name: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
          cell: ({ cells }: DetailRow) => cells[index],
        }))}
      />
    </div>
  );
}
