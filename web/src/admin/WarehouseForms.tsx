import { useState } from 'react';
import { sqlName, sqlText } from '../api/query';
import { TextField } from '../components/fields';
import { Select } from '../components/Select';
import { StatementDialog } from './StatementDialog';
import { option, typedName } from './sqlParts';
import type { Row } from './useAdminQuery';

const SIZES = [
  'X-Small',
  'Small',
  'Medium',
  'Large',
  'X-Large',
  '2X-Large',
  '3X-Large',
  '4X-Large',
];

interface FormProps {
  onClose: () => void;
  onDone: () => void;
}

interface Properties {
  size: string;
  atATime: string;
  suspendSeconds: string;
  comment: string;
}

function problemOf({ atATime, suspendSeconds }: Properties): string | null {
  if (!/^[1-9]\d*$/.test(atATime)) return 'At least one statement runs at a time.';
  return /^\d+$/.test(suspendSeconds) ? null : 'Say after how many idle seconds it suspends.';
}

export function CreateWarehouse({ onClose, onDone }: FormProps) {
  const [name, setName] = useState('');
  const [properties, setProperties] = useState<Properties>({
    size: 'X-Small',
    atATime: '8',
    suspendSeconds: '600',
    comment: '',
  });
  const { size, atATime, suspendSeconds, comment } = properties;
  return (
    <StatementDialog
      title="New warehouse"
      verb="Create"
      statements={[
        `CREATE WAREHOUSE ${typedName(name)} WAREHOUSE_SIZE = ${sqlText(size)} AUTO_SUSPEND = ${suspendSeconds} ` +
          `MAX_CONCURRENCY_LEVEL = ${atATime}${option('COMMENT', comment)}`,
      ]}
      problem={name.trim() === '' ? 'Name the warehouse.' : problemOf(properties)}
      onClose={onClose}
      onDone={onDone}
    >
      <TextField label="Name" value={name} onChange={setName} autoFocus />
      <PropertyFields properties={properties} onChange={setProperties} />
    </StatementDialog>
  );
}

export function EditWarehouse({ warehouse, onClose, onDone }: FormProps & { warehouse: Row }) {
  const before: Properties = {
    size: warehouse.size ?? 'X-Small',
    atATime: warehouse.max_concurrency_level ?? '8',
    suspendSeconds: warehouse.auto_suspend ?? '600',
    comment: warehouse.comment ?? '',
  };
  const [now, setNow] = useState(before);
  const changed = [
    ...(now.size === before.size ? [] : [`WAREHOUSE_SIZE = ${sqlText(now.size)}`]),
    ...(now.suspendSeconds === before.suspendSeconds
      ? []
      : [`AUTO_SUSPEND = ${now.suspendSeconds}`]),
    ...(now.atATime === before.atATime ? [] : [`MAX_CONCURRENCY_LEVEL = ${now.atATime}`]),
    ...(now.comment === before.comment ? [] : [`COMMENT = ${sqlText(now.comment)}`]),
  ];
  const name = warehouse.name ?? '';
  return (
    <StatementDialog
      title={`Change ${name}`}
      verb="Change"
      statements={[`ALTER WAREHOUSE ${sqlName(name)} SET ${changed.join(' ')}`]}
      problem={problemOf(now) ?? (changed.length === 0 ? 'Nothing is changed yet.' : null)}
      onClose={onClose}
      onDone={onDone}
    >
      <PropertyFields properties={now} onChange={setNow} />
    </StatementDialog>
  );
}

interface PropertyFieldsProps {
  properties: Properties;
  onChange: (properties: Properties) => void;
}

function PropertyFields({ properties, onChange }: PropertyFieldsProps) {
  const change = (changes: Partial<Properties>) => onChange({ ...properties, ...changes });
  const sizes = SIZES.includes(properties.size) ? SIZES : [properties.size, ...SIZES];
  return (
    <>
      <div className="admin-pair">
        <Select
          label="Size"
          showLabel
          value={properties.size}
          choices={sizes.map((size) => ({ id: size, name: size }))}
          onChange={(size) => change({ size })}
        />
        <TextField
          label="Statements at a time"
          inputMode="numeric"
          value={properties.atATime}
          onChange={(atATime) => change({ atATime })}
        />
      </div>
      <div className="admin-pair">
        <TextField
          label="Suspends after idle seconds"
          inputMode="numeric"
          value={properties.suspendSeconds}
          onChange={(suspendSeconds) => change({ suspendSeconds })}
        />
        <TextField
          label="Comment"
          value={properties.comment}
          onChange={(comment) => change({ comment })}
        />
      </div>
    </>
  );
}
