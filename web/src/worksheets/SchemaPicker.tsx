import { Check, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import {
  Autocomplete,
  DialogTrigger,
  ListBox,
  ListBoxItem,
  ListLayout,
  Popover,
  useFilter,
  Virtualizer,
} from 'react-aria-components';
import { useCatalog } from '../api/catalog';
import type { StatementContext } from '../api/statements';
import { Button } from '../components/Button';
import { SearchField } from '../components/fields';
import { useListRowHeight } from '../components/useDevice';

export interface SchemaPickerProps {
  icon: LucideIcon;
  context: StatementContext;
  onChange: (database: string, schema: string) => void;
}

/** Database and schema as one choice among all that the role sees. */
export function SchemaPicker({ icon, context, onChange }: SchemaPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const rowHeight = useListRowHeight();
  const schemas = useCatalog((state) => state.schemas);
  const { contains } = useFilter({ sensitivity: 'base' });
  const { database, schema } = context;
  const shown = database ? `${database}.${schema ?? '—'}` : 'No schema';
  const items = schemas.map((one) => ({ ...one, id: `${one.database}.${one.schema}` }));
  const choose = (id: string) => {
    const found = items.find((one) => one.id === id);
    if (found) onChange(found.database, found.schema);
    setOpen(false);
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button look="quiet" icon={icon} aria-label={`Database and schema: ${shown}`}>
        {shown}
      </Button>
      <Popover
        className="popover schema-picker"
        placement="bottom start"
        offset={4}
        aria-label="Database and schema"
      >
        <Autocomplete filter={contains}>
          <SearchField label="Find a schema" autoFocus hasList />
          <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
            <ListBox
              className="list-box"
              aria-label="Schemas"
              items={items}
              selectionMode="single"
              selectedKeys={[`${database}.${schema}`]}
              onSelectionChange={(keys) => keys !== 'all' && choose([...keys].join('') || shown)}
            >
              {(item) => (
                <ListBoxItem id={item.id} textValue={item.id} className="list-box-item">
                  {({ isSelected }) => (
                    <>
                      <span className="menu-item-icon">
                        {isSelected && <Check size={14} aria-hidden="true" />}
                      </span>
                      <span className="menu-item-text one-line">{item.id}</span>
                    </>
                  )}
                </ListBoxItem>
              )}
            </ListBox>
          </Virtualizer>
        </Autocomplete>
      </Popover>
    </DialogTrigger>
  );
}
