import { Check, Cpu, Database, UserRound } from 'lucide-react';
import { useCatalog } from '../api/catalog';
import { useIdentity } from '../api/identity';
import { Button } from '../components/Button';
import { MenuButton, MenuItem } from '../components/Menu';
import { SchemaPicker } from './SchemaPicker';
import type { Worksheet } from './worksheet';
import { changeContext } from './worksheetStore';

/** Role, warehouse, database and schema of the worksheet. */
export function ContextPickers({ worksheet }: { worksheet: Worksheet }) {
  const { id, context } = worksheet;
  const roles = useIdentity((state) => state.identity?.roles) ?? [];
  const warehouses = useCatalog((state) => state.warehouses);
  return (
    <div className="toolbar-pickers">
      <NamePicker
        label="Role"
        icon={UserRound}
        value={context.role ?? null}
        names={roles}
        onChange={(role) => changeContext(id, { role })}
      />
      <NamePicker
        label="Warehouse"
        icon={Cpu}
        value={context.warehouse ?? null}
        names={warehouses}
        onChange={(warehouse) => changeContext(id, { warehouse })}
      />
      <SchemaPicker
        icon={Database}
        context={context}
        onChange={(database, schema) => changeContext(id, { database, schema })}
      />
    </div>
  );
}

interface NamePickerProps {
  label: string;
  icon: typeof Cpu;
  value: string | null;
  names: readonly string[];
  onChange: (name: string) => void;
}

function NamePicker({ label, icon, value, names, onChange }: NamePickerProps) {
  return (
    <MenuButton
      label={label}
      chosen={value}
      button={
        <Button look="quiet" icon={icon} aria-label={`${label}: ${value ?? 'none'}`}>
          {value ?? `No ${label.toLowerCase()}`}
        </Button>
      }
    >
      {names.map((name) => (
        <MenuItem
          key={name}
          id={name}
          icon={name === value ? Check : undefined}
          onAction={() => onChange(name)}
        >
          {name}
        </MenuItem>
      ))}
    </MenuButton>
  );
}
