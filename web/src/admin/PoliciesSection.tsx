import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { PolicyDetails } from './PolicyDetails';
import { CreatePolicy } from './PolicyForms';
import { loadPolicies } from './policies';
import { type Policy, policyId } from './policyKinds';
import { shownTimestamp } from './useAdminQuery';

/** Every policy of the account: where it is used, its text, and what can be done with it. */
export function PoliciesSection() {
  const role = useRole();
  const [opened, setOpened] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const { value, error, reload } = useRemote(`policies ${role}`, (signal) =>
    loadPolicies(role, signal),
  );
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const { policies, failures } = value;
  const toggle = (policy: Policy) =>
    setOpened(policyId(policy) === opened ? null : policyId(policy));
  return (
    <div className="admin-section">
      <div className="admin-bar">
        <Button icon={Plus} onPress={() => setCreating(true)}>
          New policy …
        </Button>
        <Button onPress={reload}>Read again</Button>
      </div>
      {failures.map((message) => (
        <ErrorNote key={message} message={message} />
      ))}
      {policies.length === 0 && failures.length === 0 ? (
        <EmptyState title="There are no policies">
          They hide values and rows, and say who may sign in and how.
        </EmptyState>
      ) : (
        <PlainTable
          label="Policies"
          rows={policies}
          rowKey={policyId}
          isSelected={(policy) => policyId(policy) === opened}
          columns={[
            { name: 'Name', cell: ({ row }) => row.name },
            { name: 'Kind', cell: ({ kind }) => kind.id },
            {
              name: 'Schema',
              cell: ({ row }) => row.database_name && `${row.database_name}.${row.schema_name}`,
            },
            { name: 'Owner', cell: ({ row }) => row.owner },
            { name: 'Made', cell: ({ row }) => shownTimestamp(row.created_on) },
            { name: 'Comment', cell: ({ row }) => row.comment },
            {
              name: 'What to do',
              look: 'actions',
              cell: (policy) => (
                <Button
                  look="quiet"
                  aria-expanded={policyId(policy) === opened}
                  aria-label={`Show ${policy.row.name}`}
                  onPress={() => toggle(policy)}
                >
                  {policyId(policy) === opened ? 'Close' : 'Show'}
                </Button>
              ),
            },
          ]}
          below={(policy) =>
            policyId(policy) === opened && <PolicyDetails policy={policy} onDropped={reload} />
          }
        />
      )}
      {isCreating && <CreatePolicy onClose={() => setCreating(false)} onDone={reload} />}
    </div>
  );
}
