import { Copy, MessageCircleQuestionMark, SquareTerminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, IconButton } from '../components/Button';
import { copyText } from '../components/copyText';
import { notify } from '../components/notices';
import { Tabs } from '../components/Tabs';
import { useRole } from '../shell/role';
import { openWorksheet } from '../worksheets/open';
import { ColumnsTab } from './ColumnsTab';
import { ContentsTab } from './ContentsTab';
import { DdlTab } from './DdlTab';
import { DetailsTab } from './DetailsTab';
import { GrantsTab } from './GrantsTab';
import { LineageTab } from './LineageTab';
import { KINDS, kindTitle } from './objectKinds';
import { type ObjectRef, refPath } from './objectRef';
import { SampleTab } from './SampleTab';
import { StageFiles } from './StageFiles';
import { useTree } from './treeStore';

interface ObjectTab {
  id: string;
  name: string;
  content: (object: ObjectRef) => ReactNode;
}

const COLUMNS = {
  id: 'columns',
  name: 'Columns',
  content: (object: ObjectRef) => <ColumnsTab object={object} />,
};
const TABS: Record<string, ObjectTab> = {
  columns: COLUMNS,
  sample: { id: 'sample', name: 'Sample', content: (object) => <SampleTab object={object} /> },
  contents: {
    id: 'contents',
    name: 'Contents',
    content: (object) => <ContentsTab object={object} />,
  },
  files: { id: 'files', name: 'Files', content: (object) => <FilesTab object={object} /> },
  details: { id: 'details', name: 'Details', content: (object) => <DetailsTab object={object} /> },
  ddl: { id: 'ddl', name: 'DDL', content: (object) => <DdlTab object={object} /> },
  grants: { id: 'grants', name: 'Grants', content: (object) => <GrantsTab object={object} /> },
  lineage: { id: 'lineage', name: 'Lineage', content: (object) => <LineageTab object={object} /> },
};

function tabsOf({ kind }: ObjectRef): ObjectTab[] {
  const ids: string[] = [];
  if (kind === 'table') ids.push('columns', 'sample');
  if (kind === 'view') ids.push('columns', 'sample');
  if (kind === 'database' || kind === 'schema') ids.push('contents');
  if (kind === 'stage') ids.push('files');
  if (KINDS[kind].isDescribed) ids.push('details');
  if (KINDS[kind].ddl) ids.push('ddl');
  ids.push('grants');
  if (kind === 'table' || kind === 'view' || kind === 'semantic view') ids.push('lineage');
  if (kind === 'table') ids.push('files');
  return ids.flatMap((id) => TABS[id] ?? []);
}

/** The page of one object: a tab for each thing that there is to know of it. */
export function ObjectPage({ object }: { object: ObjectRef }) {
  const tabs = tabsOf(object);
  const [tab, setTab] = useState(tabs[0]?.id);
  return (
    <>
      <ObjectHead object={object} />
      <Tabs
        label={`About ${object.name}`}
        selected={tab}
        onSelect={setTab}
        tabs={tabs.map(({ id, name, content }) => ({
          id,
          name,
          content: id === tab ? content(object) : null,
        }))}
      />
    </>
  );
}

function ObjectHead({ object }: { object: ObjectRef }) {
  const { kind, name } = object;
  const [, go] = useLocation();
  const role = useRole();
  const Icon = KINDS[kind].icon;
  const path = refPath(object);
  const comment = useComment(object);
  const isTable = kind === 'table' || kind === 'view';
  const query = () =>
    openWorksheet({
      name,
      text: `SELECT *\nFROM ${path}\nLIMIT 100`,
      context: { role, database: object.database, schema: object.schema ?? null },
    });
  const copy = () =>
    void copyText(path).then((copied) => copied && notify('The name is copied as SQL has it.'));
  return (
    <header className="data-head">
      <div className="data-head-title">
        <Icon size={16} aria-hidden="true" />
        <h2 className="one-line">{name}</h2>
        <span className="data-kind">{kindTitle(kind)}</span>
        <IconButton icon={Copy} label="Copy the name" size={14} onPress={copy} />
      </div>
      <div className="data-head-actions">
        {isTable && (
          <Button icon={SquareTerminal} onPress={query}>
            Query
          </Button>
        )}
        {kind === 'semantic view' && (
          <Button
            icon={MessageCircleQuestionMark}
            onPress={() => go(`/analyst?view=${encodeURIComponent(path)}`)}
          >
            Ask
          </Button>
        )}
      </div>
      <p className="secondary">{comment || path}</p>
    </header>
  );
}

function useComment(object: ObjectRef): string | null {
  const path = refPath(object);
  return useTree(({ databases, schemas, objects }) => {
    const lists = [
      databases ?? [],
      ...Object.values(schemas).map(({ value }) => value ?? []),
      ...Object.values(objects).map(({ value }) => value?.objects ?? []),
    ];
    for (const list of lists) {
      const found = list.find((one) => one.name === object.name && refPath(one) === path);
      if (found?.kind === object.kind) return found.comment ?? null;
    }
    return null;
  });
}

/** The files of a named stage, or those of a table's own. */
function FilesTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const { database, schema = '', name, kind } = object;
  const isOfTable = kind === 'table';
  const shown = isOfTable ? `@%${name}` : `@${refPath(object)}`;
  return <StageFiles place={{ database, schema, stage: name, isOfTable, role }} name={shown} />;
}
