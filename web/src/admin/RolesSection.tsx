import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../components/Button';
import { SearchField } from '../components/fields';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { CreateRole } from './RoleForms';
import { RoleGraph } from './RoleGraph';
import { RolePanel } from './RolePanel';
import { roleTree } from './roleTree';
import { useRoles } from './useRoles';

/** Who inherits whom as a graph, and everything about the role that is chosen. */
export function RolesSection() {
  const { value, error, reload } = useRoles();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const tree = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const names = value?.names ?? [];
    const found = names.filter((name) => name.toLowerCase().includes(wanted));
    return roleTree(found, value?.edges ?? []);
  }, [value, text]);
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const known = selected !== null && value.names.includes(selected) ? selected : null;
  return (
    <div className="role-page">
      <div className="role-side">
        <div className="admin-bar">
          <SearchField label="Find roles" value={text} onChange={setText} />
          <Button icon={Plus} onPress={() => setCreating(true)}>
            New role …
          </Button>
        </div>
        <RoleGraph tree={tree} notes={value.notes} selected={known} onSelect={setSelected} />
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
            onChange={reload}
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
