import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { sqlName } from '../api/query';
import { Button } from '../components/Button';
import { SearchField } from '../components/fields';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { grantsGraph } from './grantsGraph';
import { CreateRole } from './RoleForms';
import { RoleGraph } from './RoleGraph';
import { RolePanel } from './RolePanel';
import { placeGraph } from './roleGraph';
import { useAdminQuery } from './useAdminQuery';
import { useRoles } from './useRoles';

/** Who inherits whom as a graph, and everything about the role that is chosen. */
export function RolesSection() {
  const { value, error, reload } = useRoles();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const known = selected !== null && value?.names.includes(selected) ? selected : null;
  const grants = useAdminQuery(known && `SHOW GRANTS TO ROLE ${sqlName(known)}`);
  const graph = useMemo(() => {
    if (!value) return null;
    const chosen = known === null ? null : { role: known, grants: grants.value ?? [] };
    const { nodes, edges } = grantsGraph(value, text, chosen);
    return placeGraph(nodes, edges);
  }, [value, text, known, grants.value]);
  if (error) return <ErrorNote message={error} />;
  if (!value || !graph) return <Waiting />;
  const change = () => {
    grants.reload();
    reload();
  };
  return (
    <div className="role-page">
      <div className="role-side">
        <div className="admin-bar">
          <SearchField label="Find roles" value={text} onChange={setText} />
          <Button icon={Plus} onPress={() => setCreating(true)}>
            New role …
          </Button>
        </div>
        <RoleGraph graph={graph} selected={known} onSelect={setSelected} />
        {!value.isWhole && (
          <p className="secondary">There are more roles than the lines were drawn for.</p>
        )}
      </div>
      <section className="role-panel" aria-label="Role" data-part="role">
        {known === null ? (
          <EmptyState title="Choose a role">
            Who holds it, what it inherits and what it may use.
          </EmptyState>
        ) : (
          <RolePanel
            key={known}
            role={known}
            roles={value}
            onSelect={setSelected}
            onChange={change}
          />
        )}
      </section>
      {isCreating && (
        <CreateRole
          onClose={() => setCreating(false)}
          onDone={(name) => {
            reload();
            setSelected(name);
          }}
        />
      )}
    </div>
  );
}
