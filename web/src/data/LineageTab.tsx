import { Link } from 'wouter';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { type LineageNode, readersOf, sourcesOf } from './lineage';
import { KINDS, kindTitle } from './objectKinds';
import { type ObjectRef, refAddress, refId, refPath } from './objectRef';
import { useTree } from './treeStore';

/** Both ways as far as views tell: what it reads, and what reads it. */
export function LineageTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const databases = useTree((tree) => tree.databases);
  const names = (databases ?? []).map(({ name }) => name).filter((name) => name !== 'SNOWFLAKE');
  const context = { role, database: object.database, schema: object.schema ?? null };
  const key = databases && `${role} ${refId(object)}`;
  const sources = useRemote(key, (signal) => sourcesOf(object, context, signal));
  const readers = useRemote(key, (signal) => readersOf(object, names, context, signal));
  return (
    <div className="data-lineage">
      <section aria-label="Reads">
        <h3>Reads</h3>
        {sources.error ? (
          <ErrorNote message={sources.error} />
        ) : sources.value ? (
          <LineageList nodes={sources.value} empty={ownWords(object)} />
        ) : (
          <Waiting />
        )}
      </section>
      <section aria-label="Read by">
        <h3>Read by</h3>
        {readers.error ? (
          <ErrorNote message={readers.error} />
        ) : readers.value ? (
          <>
            <LineageList nodes={readers.value.nodes} empty="No view that this role sees." />
            {readers.value.wasCut && (
              <p className="secondary">There are more views of that name than were looked at.</p>
            )}
          </>
        ) : (
          <Waiting>Asking the views …</Waiting>
        )}
      </section>
    </div>
  );
}

function ownWords({ kind }: ObjectRef): string {
  return kind === 'table' ? 'A table holds its own rows.' : 'No table or view.';
}

function LineageList({ nodes, empty }: { nodes: readonly LineageNode[]; empty: string }) {
  if (nodes.length === 0) return <p className="secondary">{empty}</p>;
  return (
    <ul>
      {nodes.map(({ ref, inside }) => (
        <li key={refId(ref)}>
          <LineageLink object={ref} />
          {inside.length > 0 && <LineageList nodes={inside} empty="" />}
        </li>
      ))}
    </ul>
  );
}

function LineageLink({ object }: { object: ObjectRef }) {
  const Icon = KINDS[object.kind].icon;
  return (
    <Link href={refAddress(object)}>
      <Icon size={14} role="img" aria-label={kindTitle(object.kind)} />
      {refPath(object)}
    </Link>
  );
}
