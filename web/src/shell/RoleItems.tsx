import { Check } from 'lucide-react';
import { Header, MenuSection } from 'react-aria-components';
import { useIdentity } from '../api/identity';
import { MenuItem } from '../components/Menu';
import { chooseRole, useRole } from './role';

/** The roles of the user; the chosen one counts on every page but in worksheets, which have theirs. */
export function RoleItems() {
  const identity = useIdentity((state) => state.identity);
  const role = useRole();
  return (
    <MenuSection selectionMode="single" selectedKeys={role === null ? [] : [`role ${role}`]}>
      <Header className="palette-group">
        {identity ? `${identity.user} · firn ${identity.version}` : 'Role'}
      </Header>
      {(identity?.roles ?? []).map((name) => (
        <MenuItem
          key={name}
          id={`role ${name}`}
          icon={name === role ? Check : undefined}
          onAction={() => chooseRole(name)}
        >
          {name}
        </MenuItem>
      ))}
    </MenuSection>
  );
}
