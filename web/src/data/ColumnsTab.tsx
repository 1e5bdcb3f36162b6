import { ChartNoAxesColumn } from 'lucide-react';
import { useState } from 'react';
import { runObjects, sqlName, sqlText } from '../api/query';
import { IconButton } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { ColumnStatistics } from './ColumnStatistics';
import { type ObjectRef, refPath } from './objectRef';
import type { Row } from './useObjectQuery';

export function ColumnsTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const [opened, setOpened] = useState<string | null>(null);
  const path = refPath(object);
  const { value, error } = useRemote(`${role} ${path}`, (signal) =>
    loadColumns(object, role, signal),
  );
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  return (
    <div className="data-panel data-panel-table">
      <PlainTable
        label={`Columns of ${object.name}`}
        rows={value}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Name', cell: ({ name }) => <span className="mono">{name}</span> },
          { name: 'Type', cell: ({ type }) => <span className="mono">{type}</span> },
          { name: 'Nullable', cell: ({ isNullable }) => (isNullable ? 'yes' : 'no') },
          { name: 'Key', cell: ({ keys }) => keys.map((key) => <KeySign key={key} text={key} />) },
          ...(value.some(({ defaultValue }) => defaultValue)
            ? [{ name: 'Default', cell: (column: TableColumn) => column.defaultValue }]
            : []),
          ...(value.some(({ marks }) => marks.length > 0)
            ? [{ name: 'Policies and tags', cell: ({ marks }: TableColumn) => marks.join(', ') }]
            : []),
          {
            name: 'Comment',
            cell: ({ comment }) => comment && <span className="data-comment">{comment}</span>,
          },
          {
            name: 'Statistics',
            look: 'actions',
            cell: ({ name }) => (
              <IconButton
                icon={ChartNoAxesColumn}
                size={14}
                label={`Statistics of ${name}`}
                aria-expanded={opened === name}
                onPress={() => setOpened(opened === name ? null : name)}
              />
            ),
          },
        ]}
        below={({ name, type }) =>
          opened === name && <ColumnStatistics object={object} column={name} type={type} />
        }
      />
    </div>
  );
}

function KeySign({ text }: { text: string }) {
  return <span className="data-key">{text} </span>;
}

interface TableColumn {
  name: string;
  type: string;
  isNullable: boolean;
  keys: string[];
  defaultValue: string | null;
  marks: string[];
  comment: string | null;
}

async function loadColumns(
  object: ObjectRef,
  role: string | null,
  signal: AbortSignal,
): Promise<TableColumn[]> {
  const path = refPath(object);
  const context = { role, database: object.database, schema: object.schema ?? null };
  const kind = object.kind === 'view' ? 'VIEW' : 'TABLE';
  // Keys, policies and tags are more than a role may need to know: without them the columns stay.
  const optional = (statement: string) =>
    runObjects(statement, context, signal).catch((): Row[] => []);
  const within = `${sqlName(object.database)}.INFORMATION_SCHEMA`;
  const [columns, references, policies, tags] = await Promise.all([
    runObjects(`DESC ${kind} ${path}`, context, signal),
    kind === 'TABLE' ? optional(`SHOW IMPORTED KEYS IN TABLE ${path}`) : [],
    optional(
      `SELECT * FROM TABLE(${within}.POLICY_REFERENCES(REF_ENTITY_NAME => ${sqlText(path)}, ` +
        `REF_ENTITY_DOMAIN => ${sqlText(kind)}))`,
    ),
    optional(
      `SELECT * FROM TABLE(${within}.TAG_REFERENCES_ALL_COLUMNS(${sqlText(path)}, 'table'))`,
    ),
  ]);
  return columns.map((column): TableColumn => {
    const name = column.name ?? '';
    const target = references.find((one) => one.fk_column_name === name);
    const keys = [
      ...(column['primary key'] === 'Y' ? ['primary'] : []),
      ...(column['unique key'] === 'Y' ? ['unique'] : []),
      ...(target ? [`→ ${target.pk_table_name}.${target.pk_column_name}`] : []),
    ];
    const marks = [
      ...policies.filter((one) => one.ref_column_name === name).map((one) => one.policy_name ?? ''),
      ...tags
        .filter((one) => one.column_name === name)
        .map((one) => `${one.tag_name} = ${one.tag_value}`),
    ];
    return {
      name,
      type: column.type ?? '',
      isNullable: column['null?'] === 'Y',
      keys,
      defaultValue: column.default ?? null,
      marks,
      comment: column.comment ?? null,
    };
  });
}
