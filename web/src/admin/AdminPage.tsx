import { ShieldCheck } from 'lucide-react';
import { useLocation } from 'wouter';
import { useIdentity } from '../api/identity';
import { Button } from '../components/Button';
import { EmptyState, Waiting } from '../components/States';
import { Tabs } from '../components/Tabs';
import { chooseRole, useRole } from '../shell/role';
import { PageTitle } from '../shell/TopBar';
import './AdminPage.css';
import { adminRolesOf, mayAdminister } from './adminRoles';
import { PoliciesSection } from './PoliciesSection';
import { RolesSection } from './RolesSection';
import { TokensSection } from './TokensSection';
import { UsersSection } from './UsersSection';
import { WarehousesSection } from './WarehousesSection';

const SECTIONS = [
  { id: 'users', name: 'Users', component: UsersSection },
  { id: 'roles', name: 'Roles and grants', component: RolesSection },
  { id: 'tokens', name: 'Tokens', component: TokensSection },
  { id: 'warehouses', name: 'Warehouses', component: WarehousesSection },
  { id: 'policies', name: 'Policies', component: PoliciesSection },
] as const;

export default function AdminPage() {
  const identity = useIdentity((state) => state.identity);
  const role = useRole();
  return (
    <>
      <PageTitle>Admin</PageTitle>
      {identity === null || role === null ? (
        <Waiting />
      ) : mayAdminister(identity.roles) ? (
        <Sections role={role} roles={identity.roles} />
      ) : (
        <EmptyState icon={ShieldCheck} title="There is no such page." />
      )}
    </>
  );
}

function Sections({ role, roles }: { role: string; roles: readonly string[] }) {
  const [location, go] = useLocation();
  const current = SECTIONS.find(({ id }) => location.startsWith(`/admin/${id}`))?.id ?? 'users';
  return (
    <section className="admin" aria-label="Administration" data-part="admin">
      {!mayAdminister([role]) && <WeakRole role={role} roles={roles} />}
      <Tabs
        label="Administration"
        selected={current}
        onSelect={(id) => go(`/admin/${id}`)}
        tabs={SECTIONS.map(({ id, name, component: Section }) => ({
          id,
          name,
          content: id === current ? <Section key={role} /> : null,
        }))}
      />
    </section>
  );
}

/** The user has such a role but works with another one. */
function WeakRole({ role, roles }: { role: string; roles: readonly string[] }) {
  return (
    <p className="admin-note">
      {role} sees little of this.{' '}
      {adminRolesOf(roles).map((stronger) => (
        <Button key={stronger} onPress={() => chooseRole(stronger)}>
          Work as {stronger}
        </Button>
      ))}
    </p>
  );
}
