import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { sqlName } from '../api/query';
import { Button } from '../components/Button';
import { SearchField } from '../components/fields';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownCount } from '../components/shownTime';
import { grantsGraph } from './grantsGraph';
import { CreateRole } from './RoleForms';
import { RoleGraph } from './RoleGraph';
import { RolePanel } from './RolePanel';
import { placeGraph } from './roleGraph';
import { useAdminQuery } from './useAdminQuery';
import { type Roles, useRoles } from './useRoles';

/** Who holds what as a graph, and everything about the role that is chosen. */
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
    const { nodes, edges, rolesLeftOut } = grantsGraph(value, text, chosen);
    return { ...placeGraph(nodes, edges), rolesLeftOut };
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
          <SearchField label="Find roles and users" value={text} onChange={setText} />
          <Button icon={Plus} onPress={() => setCreating(true)}>
            New role …
          </Button>
        </div>
        <RoleGraph graph={graph} selected={known} onSelect={setSelected} />
        <LeftOut roles={value} rolesLeftOut={graph.rolesLeftOut} />
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

/** What the graph does not show, in numbers. */
function LeftOut({ roles, rolesLeftOut }: { roles: Roles; rolesLeftOut: number }) {
  const { notAsked, users } = roles;
  const words = [
    rolesLeftOut > 0 &&
      `${shownCount(rolesLeftOut)} more ${rolesLeftOut === 1 ? 'role is' : 'roles are'} not drawn: type a part of a name to find them.`,
    notAsked > 0 &&
      `Who holds ${shownCount(notAsked)} more roles was not asked: their lines, and users without a role, are not drawn.`,
    users === null &&
      'The role that you work with may not list users: those without a role are not drawn.',
  ].filter((one) => one !== false);
  return words.length > 0 && <p className="secondary">{words.join(' ')}</p>;
}
