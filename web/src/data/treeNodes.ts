// The tree's nodes. Only what is unfolded has children, and a long list shows its first part, so
// that a schema of many thousand tables opens in no time.
import { KINDS, type ObjectKind, SCHEMA_KINDS } from './objectKinds';
import { type ObjectRef, refId } from './objectRef';
import type { TreeState } from './treeStore';

export interface TreeNode {
  id: string;
  kind: ObjectKind | 'group' | 'note' | 'more';
  name: string;
  detail: string;
  /** The object that a click opens; null for groups and notes. */
  ref: ObjectRef | null;
  isOpen: boolean;
  hasChildren: boolean;
  children: TreeNode[];
}

export const SHOWN_AT_ONCE = 400;

type Known = Pick<TreeState, 'databases' | 'schemas' | 'objects' | 'unfolded'>;

interface Wish {
  known: Known;
  /** In lower case. */
  text: string;
  /** How many children of a group are shown, by its id, where it is not the usual number. */
  shown: ReadonlyMap<string, number>;
}

export function treeNodes(
  known: Known,
  text: string,
  shown: ReadonlyMap<string, number>,
): TreeNode[] {
  const wish: Wish = { known, text: text.trim().toLowerCase(), shown };
  return (known.databases ?? []).flatMap((ref) => databaseNode(ref, wish));
}

function databaseNode(ref: ObjectRef, wish: Wish): TreeNode[] {
  const id = refId(ref);
  const loaded = wish.known.schemas[id];
  const schemas = (loaded?.value ?? []).flatMap((schema) => schemaNode(schema, wish));
  if (wish.text !== '' && schemas.length === 0 && !holds(ref, wish)) return [];
  const isOpen = wish.known.unfolded.has(id) || (wish.text !== '' && schemas.length > 0);
  const children = loaded?.value ? schemas : [noteNode(id, loaded?.error)];
  return [folder(id, ref, '', isOpen, true, children)];
}

function schemaNode(ref: ObjectRef, wish: Wish): TreeNode[] {
  const id = refId(ref);
  const loaded = wish.known.objects[id];
  const byKind = new Map<ObjectKind, ObjectRef[]>();
  for (const object of loaded?.value?.objects ?? []) {
    if (wish.text !== '' && !holds(object, wish)) continue;
    const same = byKind.get(object.kind);
    if (same) same.push(object);
    else byKind.set(object.kind, [object]);
  }
  if (wish.text !== '' && byKind.size === 0 && !holds(ref, wish)) return [];
  const isOpen = wish.known.unfolded.has(id) || (wish.text !== '' && byKind.size > 0);
  if (!isOpen) return [folder(id, ref, '', false, true, [])];
  const groups = SCHEMA_KINDS.flatMap((kind) => {
    const objects = byKind.get(kind);
    return objects ? [groupNode(id, kind, objects, wish)] : [];
  });
  if (!loaded?.value) groups.push(noteNode(id, loaded?.error));
  else if (groups.length === 0) groups.push(noteNode(id, 'Nothing that this role sees'));
  return [folder(id, ref, '', true, true, groups)];
}

function groupNode(
  schemaId: string,
  kind: ObjectKind,
  objects: readonly ObjectRef[],
  wish: Wish,
): TreeNode {
  const id = `${schemaId} ${kind}`;
  const isOpen = wish.known.unfolded.has(id) || wish.text !== '';
  const most = wish.shown.get(id) ?? SHOWN_AT_ONCE;
  const children = isOpen ? objects.slice(0, most).map(leaf) : [];
  if (isOpen && objects.length > most) {
    const name = `Show more of ${objects.length.toLocaleString('en')}`;
    children.push({ ...noteNode(id, name), id: `${id} more`, kind: 'more' });
  }
  return {
    id,
    kind: 'group',
    name: KINDS[kind].plural,
    detail: objects.length.toLocaleString('en'),
    ref: null,
    isOpen,
    hasChildren: true,
    children,
  };
}

function leaf(ref: ObjectRef): TreeNode {
  const detail = ref.signature ?? '';
  return folder(refId(ref), ref, detail, false, false, []);
}

function folder(
  id: string,
  ref: ObjectRef,
  detail: string,
  isOpen: boolean,
  hasChildren: boolean,
  children: TreeNode[],
): TreeNode {
  const shown = isOpen ? children : [];
  return { id, kind: ref.kind, name: ref.name, detail, ref, isOpen, hasChildren, children: shown };
}

function noteNode(id: string, name = 'Loading …'): TreeNode {
  return {
    id: `${id} note`,
    kind: 'note',
    name,
    detail: '',
    ref: null,
    isOpen: false,
    hasChildren: false,
    children: [],
  };
}

function holds({ name }: ObjectRef, { text }: Wish): boolean {
  return name.toLowerCase().includes(text);
}

/** The ids of what is open, and every object that can be opened, from the top down. */
export function openIds(nodes: readonly TreeNode[]): string[] {
  return nodes.flatMap((node) => (node.isOpen ? [node.id, ...openIds(node.children)] : []));
}

export function refsOf(nodes: readonly TreeNode[]): ObjectRef[] {
  return nodes.flatMap((node) =>
    node.hasChildren ? [...(node.ref ? [node.ref] : []), ...refsOf(node.children)] : [],
  );
}
