import { ChevronRight, Folder } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react';
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
import { useLocation } from 'wouter';
import { Waiting } from '../components/States';
import { useListRowHeight } from '../components/useDevice';
import '../worksheets/SidePanel.css';
import { KINDS } from './objectKinds';
import { type ObjectRef, refAddress, refId } from './objectRef';
import { openIds, refsOf, SHOWN_AT_ONCE, type TreeNode, treeNodes } from './treeNodes';
import { unfold, useTree } from './treeStore';

/** Databases, their schemas and what lies in them. Enter or a click opens an object's page. */
export function DataTree({ text, selected }: { text: string; selected: ObjectRef | null }) {
  const tree = useTree();
  const [, go] = useLocation();
  const rowHeight = useListRowHeight();
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const wanted = useDeferredValue(text);
  const nodes = useMemo(() => treeNodes(tree, wanted, shown), [tree, wanted, shown]);
  if (tree.databases === null) {
    return tree.error ? <p className="side-note">{tree.error}</p> : <Waiting />;
  }
  const open = openIds(nodes);
  const change = (ids: Iterable<Key>) => unfold(new Set([...ids].map(String)), refsOf(nodes));
  const take = (node: TreeNode) => {
    if (node.kind === 'more') {
      const group = node.id.slice(0, -' more'.length);
      setShown((before) =>
        new Map(before).set(group, (before.get(group) ?? SHOWN_AT_ONCE) + SHOWN_AT_ONCE),
      );
    } else if (node.ref) {
      go(refAddress(node.ref));
      if (node.hasChildren && !node.isOpen) change([...open, node.id]);
    } else if (node.hasChildren) {
      change(node.isOpen ? open.filter((id) => id !== node.id) : [...open, node.id]);
    }
  };
  /** The arrows fold and unfold; on what is folded already they are the tree's own. */
  const fold = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    const { key, hasChildItems } = (event.target as HTMLElement).dataset;
    if (key === undefined || hasChildItems !== 'true') return;
    const isOpen = open.includes(key);
    if (isOpen === (event.key === 'ArrowRight')) return;
    event.preventDefault();
    event.stopPropagation();
    change(isOpen ? open.filter((id) => id !== key) : [...open, key]);
  };
  const selectedId = selected && refId(selected);
  return (
    <div className="data-tree" onKeyDownCapture={fold}>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
        <Tree
          className="object-tree"
          data-part-focus=""
          aria-label="Databases, schemas and what is in them"
          items={nodes}
          dependencies={[selectedId, open.length, shown]}
          expandedKeys={open}
          onExpandedChange={change}
          renderEmptyState={() => (
            <p className="side-note">
              {text.trim() === ''
                ? 'Your role sees no database.'
                : 'Nothing loaded is called like that.'}
            </p>
          )}
        >
          {(node) => <DataItem node={node} selectedId={selectedId} onTake={take} />}
        </Tree>
      </Virtualizer>
    </div>
  );
}

interface DataItemProps {
  node: TreeNode;
  selectedId: string | null;
  onTake: (node: TreeNode) => void;
}

function DataItem({ node, selectedId, onTake }: DataItemProps) {
  const isSelected = node.id === selectedId;
  return (
    <TreeItem
      id={node.id}
      textValue={node.name}
      className={isSelected ? 'object-row data-row-selected' : 'object-row'}
      hasChildItems={node.hasChildren}
      onAction={() => onTake(node)}
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
          <NodeIcon kind={node.kind} />
          <span className="one-line">{node.name}</span>
          {isSelected && <span className="visually-hidden">, shown</span>}
          {node.detail && <span className="object-detail one-line">{node.detail}</span>}
        </div>
      </TreeItemContent>
      <Collection items={node.children} dependencies={[selectedId]}>
        {(child) => <DataItem node={child} selectedId={selectedId} onTake={onTake} />}
      </Collection>
    </TreeItem>
  );
}

function NodeIcon({ kind }: { kind: TreeNode['kind'] }) {
  if (kind === 'note' || kind === 'more') return null;
  const Icon = kind === 'group' ? Folder : KINDS[kind].icon;
  return <Icon size={14} aria-hidden="true" />;
}
