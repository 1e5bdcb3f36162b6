import { Copy, SquareTerminal } from 'lucide-react';
import { runQuery, sqlText } from '../api/query';
import { Button } from '../components/Button';
import { copyText } from '../components/copyText';
import { notify } from '../components/notices';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { CodeView } from '../editor/CodeView';
import { useRole } from '../shell/role';
import { openWorksheet } from '../worksheets/open';
import { KINDS } from './objectKinds';
import { type ObjectRef, refPath } from './objectRef';

export function DdlTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const { database, schema = null } = object;
  const context = { role, database, schema };
  const statement = `SELECT GET_DDL(${sqlText(KINDS[object.kind].ddl ?? '')}, ${sqlText(refPath(object))})`;
  const { value, error } = useRemote(`${role} ${statement}`, async (signal) => {
    const { rows } = await runQuery(statement, context, signal);
    return rows[0]?.[0] ?? '';
  });
  if (error) return <ErrorNote message={error} />;
  if (value === undefined) return <Waiting />;
  return (
    <div className="data-code">
      <div className="data-code-actions">
        <Button
          icon={Copy}
          onPress={() => void copyText(value).then((copied) => copied && notify('Copied.'))}
        >
          Copy
        </Button>
        <Button
          icon={SquareTerminal}
          onPress={() => openWorksheet({ name: object.name, text: value, context })}
        >
          Open in a worksheet
        </Button>
      </div>
      <CodeView text={value} label={`DDL of ${object.name}`} />
    </div>
  );
}
