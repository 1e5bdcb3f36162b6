import { X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { CodeView } from '../editor/CodeView';
import { useRole } from '../shell/role';
import { DropPolicy, EditPolicyBody } from './PolicyForms';
import { loadDetails, type Use } from './policies';
import { isOfTables, type Policy, policyId } from './policyKinds';
import { SetPolicy } from './SetPolicy';
import { StatementDialog } from './StatementDialog';
import { useAdminQuery } from './useAdminQuery';

type Task = 'set' | 'body' | 'drop' | Use;

interface PolicyDetailsProps {
  policy: Policy;
  /** It was dropped. */
  onDropped: () => void;
}

/** The text of a policy, where it is used, and what can be done with it. */
export function PolicyDetails({ policy, onDropped }: PolicyDetailsProps) {
  const role = useRole();
  const { value, error, reload } = useRemote(`${role} ${policyId(policy)}`, (signal) =>
    loadDetails(policy, role, signal),
  );
  const [task, setTask] = useState<Task | null>(null);
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const name = policy.row.name ?? '';
  const form = { policy, onClose: () => setTask(null), onDone: reload };
  return (
    <div className="policy-details">
      <div className="admin-bar">
        <Button onPress={() => setTask('set')}>
          {isOfTables(policy.kind) ? 'Set on a table …' : 'Set on the account or a user …'}
        </Button>
        {isOfTables(policy.kind) && (
          <Button onPress={() => setTask('body')}>Change the expression …</Button>
        )}
        <Button look="danger" onPress={() => setTask('drop')}>
          Drop …
        </Button>
      </div>
      {value.ddl !== null && <CodeView text={value.ddl} label={`DDL of ${name}`} />}
      {value.properties.length > 0 && (
        <PlainTable
          label={`Properties of ${name}`}
          rows={value.properties}
          rowKey={(row) => row.property ?? row.name ?? ''}
          columns={[
            { name: 'Property', cell: (row) => row.property ?? row.name },
            { name: 'Value', cell: (row) => row.value },
          ]}
        />
      )}
      <PlainTable
        label={`Where ${name} is used`}
        rows={value.uses}
        rowKey={(use) => `${use.kind} ${use.name} ${use.column}`}
        empty={value.usesError ?? 'It is used nowhere.'}
        columns={[
          { name: 'Used by', cell: ({ kind }) => kind },
          { name: 'Name', cell: (use) => use.name },
          { name: 'Column', cell: ({ column }) => column },
          {
            name: 'Take off',
            look: 'actions',
            cell: (use) =>
              use.takeOff !== null && (
                <IconButton
                  icon={X}
                  size={14}
                  label={`Take ${name} off ${use.name || 'the account'}`}
                  onPress={() => setTask(use)}
                />
              ),
          },
        ]}
      />
      {task === 'set' && <SetPolicy {...form} />}
      {task === 'body' && <ChangeBody {...form} />}
      {task === 'drop' && <DropPolicy {...form} onDone={onDropped} />}
      {typeof task === 'object' && task?.takeOff != null && (
        <StatementDialog
          title={`Take ${name} off ${task.name || 'the account'}?`}
          verb="Take off"
          isDangerous
          statements={[task.takeOff]}
          onClose={form.onClose}
          onDone={reload}
        />
      )}
    </div>
  );
}

/** The form once the expression is known as it is now. */
function ChangeBody(props: { policy: Policy; onClose: () => void; onDone: () => void }) {
  const { kind, path } = props.policy;
  const { value } = useAdminQuery(`DESC ${kind.words} ${path}`);
  return value ? <EditPolicyBody {...props} body={value[0]?.body ?? ''} /> : null;
}
