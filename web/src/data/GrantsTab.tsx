import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { type ObjectRef, refPath } from './objectRef';
import { type Row, useObjectQuery } from './useObjectQuery';

export function GrantsTab({ object }: { object: ObjectRef }) {
  const { value, error } = useObjectQuery(
    object,
    `SHOW GRANTS ON ${object.kind.toUpperCase()} ${refPath(object)}`,
  );
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  return (
    <div className="data-panel">
      <PlainTable
        label={`Grants on ${object.name}`}
        rows={value}
        rowKey={(row: Row) => `${row.privilege} ${row.granted_to} ${row.grantee_name}`}
        empty="Nobody was granted anything on it."
        columns={[
          { name: 'Privilege', cell: (row) => row.privilege },
          { name: 'To', cell: (row) => row.grantee_name },
          { name: 'Kind', cell: (row) => row.granted_to?.toLowerCase().replaceAll('_', ' ') },
          { name: 'May grant on', cell: (row) => (row.grant_option === 'true' ? 'yes' : '') },
          { name: 'Granted by', cell: (row) => row.granted_by },
        ]}
      />
    </div>
  );
}
