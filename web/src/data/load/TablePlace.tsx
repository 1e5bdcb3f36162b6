import { useEffect } from 'react';
import { sqlPath } from '../../api/query';
import { TextField } from '../../components/fields';
import { Select } from '../../components/Select';
import { reveal, useTree } from '../treeStore';
import { typedName } from './tableColumns';

export interface TablePlaceValue {
  database: string;
  schema: string;
  name: string;
}

export function tablePath({ database, schema, name }: TablePlaceValue): string {
  return `${sqlPath(database, schema)}.${typedName(name)}`;
}

/** The name that the catalog will have. */
export function tableNameOf({ name }: TablePlaceValue): string {
  const inSql = typedName(name);
  return inSql.startsWith('"') ? inSql.slice(1, -1).replaceAll('""', '"') : inSql;
}

interface TablePlaceProps {
  value: TablePlaceValue;
  onChange: (value: TablePlaceValue) => void;
  onSubmit: () => void;
}

export function TablePlace({ value, onChange, onSubmit }: TablePlaceProps) {
  const { database, schema, name } = value;
  const databases = useTree((tree) => tree.databases) ?? [];
  const schemas = useTree((tree) => tree.schemas[`database ${sqlPath(database)}`]?.value);
  useEffect(() => {
    if (database !== '') reveal({ kind: 'database', database, name: database });
  }, [database]);
  const schemaNames = (schemas ?? [])
    .map((one) => one.name)
    .filter((one) => one !== 'INFORMATION_SCHEMA');
  const known = schemaNames.includes(schema) ? schemaNames : [schema, ...schemaNames];
  return (
    <form
      className="load-place"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <TextField
        label="Table"
        mono
        autoFocus
        value={name}
        onChange={(text) => onChange({ ...value, name: text })}
      />
      <Select
        label="Schema"
        showLabel
        value={schema}
        choices={known.map((one) => ({ id: one, name: one }))}
        onChange={(chosen) => onChange({ ...value, schema: chosen })}
      />
      <Select
        label="Database"
        showLabel
        value={database}
        choices={databases
          .filter((one) => one.name !== 'SNOWFLAKE')
          .map((one) => ({ id: one.name, name: one.name }))}
        onChange={(chosen) => onChange({ ...value, database: chosen, schema: 'PUBLIC' })}
      />
    </form>
  );
}
