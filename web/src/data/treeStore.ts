// What the tree has loaded. A schema is read when it is unfolded, and again when asked to.
import { create } from 'zustand';
import { messageOf } from '../api/failure';
import { loadDatabases, loadSchemaObjects, loadSchemas, type SchemaObjects } from './loadObjects';
import { type ObjectRef, refId } from './objectRef';

export interface Loaded<Value> {
  value?: Value;
  error?: string;
}

export interface TreeState {
  role: string | null;
  databases: ObjectRef[] | null;
  error: string | null;
  /** By the id of the database. */
  schemas: Readonly<Record<string, Loaded<ObjectRef[]>>>;
  /** By the id of the schema. */
  objects: Readonly<Record<string, Loaded<SchemaObjects>>>;
  unfolded: ReadonlySet<string>;
}

const EMPTY = { databases: null, error: null, schemas: {}, objects: {} };

export const useTree = create<TreeState>(() => ({
  role: null,
  ...EMPTY,
  unfolded: new Set(),
}));

/** Reads the databases, if this role's are not there yet. */
export async function openTree(role: string | null): Promise<void> {
  const before = useTree.getState();
  if (before.role === role && before.databases !== null) return;
  useTree.setState({ role, ...EMPTY });
  await readDatabases();
}

async function readDatabases(): Promise<void> {
  const { role } = useTree.getState();
  try {
    const databases = await loadDatabases(role);
    if (useTree.getState().role === role) useTree.setState({ databases, error: null });
  } catch (error) {
    if (useTree.getState().role === role) useTree.setState({ error: messageOf(error) });
  }
}

export function unfold(ids: ReadonlySet<string>, shown: readonly ObjectRef[]): void {
  useTree.setState({ unfolded: ids });
  for (const ref of shown) if (ids.has(refId(ref))) void openNode(ref);
}

/** Unfolds the way to an object that was reached by its address. */
export function reveal(ref: ObjectRef): void {
  const { unfolded } = useTree.getState();
  const database: ObjectRef = { kind: 'database', database: ref.database, name: ref.database };
  const ids = new Set([...unfolded, refId(database)]);
  void openNode(database);
  if (ref.schema !== undefined) {
    const schema: ObjectRef = { kind: 'schema', database: ref.database, name: ref.schema };
    ids.add(refId(schema)).add(`${refId(schema)} ${ref.kind}`);
    void openNode(schema);
  }
  useTree.setState({ unfolded: ids });
}

async function openNode(ref: ObjectRef): Promise<void> {
  const { schemas, objects } = useTree.getState();
  const known = ref.kind === 'database' ? schemas[refId(ref)] : objects[refId(ref)];
  if (known === undefined || known.error !== undefined) await readNode(ref);
}

async function readNode(ref: ObjectRef): Promise<void> {
  const { role } = useTree.getState();
  const id = refId(ref);
  const part = ref.kind === 'database' ? 'schemas' : 'objects';
  const put = (loaded: Loaded<ObjectRef[]> & Loaded<SchemaObjects>) => {
    const before = useTree.getState();
    if (before.role === role) useTree.setState({ [part]: { ...before[part], [id]: loaded } });
  };
  if (useTree.getState()[part][id] === undefined) put({});
  try {
    const value =
      ref.kind === 'database'
        ? await loadSchemas(ref.database, role)
        : await loadSchemaObjects(ref.database, ref.name, role);
    put({ value } as Loaded<ObjectRef[]> & Loaded<SchemaObjects>);
  } catch (error) {
    put({ error: messageOf(error) });
  }
}

/** Reads again what was read before, while the old stays to be seen. */
export async function refreshTree(): Promise<void> {
  const { databases, schemas } = useTree.getState();
  const open = useTree.getState().objects;
  await readDatabases();
  const known = databases ?? [];
  const loadedSchemas = Object.values(schemas).flatMap(({ value }) => value ?? []);
  await Promise.all([
    ...known.filter((ref) => schemas[refId(ref)]).map(readNode),
    ...loadedSchemas.filter((ref) => open[refId(ref)]).map(readNode),
  ]);
}
