import {
  ChevronRight,
  Columns3,
  Database,
  Ellipsis,
  Eye,
  FolderClosed,
  Table2,
} from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import {
  Button as AriaButton,
  Collection,
  type Key,
  ListLayout,
  Tree,
  TreeItem,
  TreeItemContent,
  Virtualizer,
} from 'react-aria-components';
import { openDatabase, useCatalog } from '../api/catalog';
import { sqlPath } from '../api/query';
import { IconButton } from '../components/Button';
import { wasLastInputKey } from '../components/lastInput';
import { MenuButton, MenuItem } from '../components/Menu';
import { Waiting } from '../components/States';
import { useListRowHeight } from '../components/useDevice';
import { runAtCursor } from './actions';
import { appendStatement, insertInEditor } from './insert';
import { type ObjectNode, objectNodes, SHOWN_AT_ONCE } from './objectNodes';
import { activeWorksheet, changeContext } from './worksheetStore';

const ICONS = {
  database: Database,
  schema: FolderClosed,
  table: Table2,
  view: Eye,
  column: Columns3,
  note: Columns3,
  more: Columns3,
};

export function ObjectTree({ text, onDone }: { text: string; onDone?: () => void }) {
  const { databases, error } = useCatalog();
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(currentSchema);
  const isSearching = text.trim() !== '';
  // What is looked for may be in a database that was not opened yet.
  useEffect(() => {
    const names = (databases ?? []).map(({ name }) => name);
    const current = activeWorksheet()?.context.database;
    for (const name of names) if (isSearching || name === current) void openDatabase(name);
  }, [databases, isSearching]);
  const rowHeight = useListRowHeight();
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const wanted = useDeferredValue(text);
  const nodes = useMemo(
    () => objectNodes(databases ?? [], unfolded, wanted, shown),
    [databases, unfolded, wanted, shown],
  );
  if (databases === null) return error ? <p className="side-note">{error}</p> : <Waiting />;
  const unfold = (keys: Set<Key>) => {
    const ids = new Set([...keys].map(String));
    for (const node of nodes) if (ids.has(node.id)) void openDatabase(node.database);
    setUnfolded(ids);
  };
  const toggle = ({ id }: ObjectNode) => {
    const open = openIds(nodes);
    unfold(new Set(open.includes(id) ? open.filter((one) => one !== id) : [...open, id]));
  };
  const insert = (node: ObjectNode) => {
    if (node.kind === 'note' || node.kind === 'more') return;
    insertInEditor(node.path);
    onDone?.();
  };
  const showMore = ({ id }: ObjectNode) => {
    const schema = id.slice(0, -' more'.length);
    const before = shown.get(schema) ?? SHOWN_AT_ONCE;
    setShown(new Map(shown).set(schema, before + SHOWN_AT_ONCE));
  };
  const take = (node: ObjectNode) => {
    if (node.kind === 'more') showMore(node);
    else if (wasLastInputKey()) insert(node);
    else if (node.hasChildren) toggle(node);
  };
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
      <Tree
        className="object-tree"
        aria-label="Databases, schemas, tables and columns"
        items={nodes}
        expandedKeys={openIds(nodes)}
        onExpandedChange={unfold}
        renderEmptyState={() => (
          <p className="side-note">
            {text.trim() === '' ? 'Your role sees no database.' : 'Nothing is called like that.'}
          </p>
        )}
      >
        {(node) => <ObjectItem node={node} onInsert={insert} onTake={take} />}
      </Tree>
    </Virtualizer>
  );
}

function currentSchema(): ReadonlySet<string> {
  const { database, schema } = activeWorksheet()?.context ?? {};
  if (!database) return new Set();
  return new Set([sqlPath(database), ...(schema ? [sqlPath(database, schema)] : [])]);
}

function openIds(nodes: readonly ObjectNode[]): string[] {
  return nodes.flatMap((node) => (node.isOpen ? [node.id, ...openIds(node.children)] : []));
}

interface ObjectItemProps {
  node: ObjectNode;
  onInsert: (node: ObjectNode) => void;
  /** A click or Enter. */
  onTake: (node: ObjectNode) => void;
}

/** A click folds and unfolds; a double click, or Enter, writes the name into the editor. */
function ObjectItem({ node, onInsert, onTake }: ObjectItemProps) {
  const Icon = ICONS[node.kind];
  const isNote = node.kind === 'note' || node.kind === 'more';
  return (
    <TreeItem
      id={node.id}
      textValue={node.name}
      className="object-row"
      hasChildItems={node.hasChildren}
      onAction={() => onTake(node)}
      onDoubleClick={() => onInsert(node)}
    >
      <TreeItemContent>
        <div className="object-row-inside">
          {node.hasChildren ? (
            <AriaButton slot="chevron" className="object-chevron">
              <ChevronRight size={13} aria-hidden="true" />
            </AriaButton>
          ) : (
            <span className="object-chevron" />
          )}
          {!isNote && <Icon size={14} aria-hidden="true" />}
          <span className="one-line">{node.name}</span>
          {node.detail && <span className="object-detail one-line">{node.detail}</span>}
          {!isNote && node.kind !== 'column' && <ObjectMenu node={node} />}
        </div>
      </TreeItemContent>
      <Collection items={node.children}>
        {(child) => <ObjectItem node={child} onInsert={onInsert} onTake={onTake} />}
      </Collection>
    </TreeItem>
  );
}

function ObjectMenu({ node }: { node: ObjectNode }) {
  const isTable = node.kind === 'table' || node.kind === 'view';
  return (
    <MenuButton
      label={node.name}
      button={<IconButton icon={Ellipsis} label={`What to do with ${node.name}`} size={14} />}
    >
      {isTable && <MenuItem onAction={() => showRows(node)}>Show 100 rows</MenuItem>}
      <MenuItem onAction={() => insertInEditor(node.path)}>Write its name</MenuItem>
      {node.kind === 'schema' && (
        <MenuItem onAction={() => takeSchema(node)}>Use this schema</MenuItem>
      )}
    </MenuButton>
  );
}

function showRows(node: ObjectNode): void {
  appendStatement(`SELECT * FROM ${node.path} LIMIT 100`);
  runAtCursor();
}

function takeSchema({ database, name }: ObjectNode): void {
  const worksheet = activeWorksheet();
  if (worksheet) changeContext(worksheet.id, { database, schema: name });
}
