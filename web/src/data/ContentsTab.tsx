import { useEffect } from 'react';
import { Link } from 'wouter';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { KINDS, kindTitle, SCHEMA_KINDS } from './objectKinds';
import { type ObjectRef, refAddress, refId } from './objectRef';
import { reveal, useTree } from './treeStore';

/** The schemas of a database, or how many objects of each kind a schema has and the first of them. */
export function ContentsTab({ object }: { object: ObjectRef }) {
  const id = refId(object);
  const schemas = useTree((tree) => tree.schemas[id]);
  const objects = useTree((tree) => tree.objects[id]);
  const isDatabase = object.kind === 'database';
  // What is read before the tree is there would be thrown away with what was there before it.
  const isReady = useTree(({ databases }) => databases !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id stands for the object
  useEffect(() => {
    if (!isReady) return;
    const inside = isDatabase ? object : { ...object, schema: object.name };
    reveal(inside);
  }, [id, isReady]);
  const error = isDatabase ? schemas?.error : objects?.error;
  const refs = isDatabase ? schemas?.value : objects?.value?.objects;
  if (error) return <ErrorNote message={error} />;
  if (!refs) return <Waiting />;
  const shown = refs.slice(0, SHOWN_MAX);
  return (
    <div className="data-panel">
      {!isDatabase && <p className="secondary">{countsInWords(refs)}</p>}
      {objects?.value?.failures.map((message) => (
        <ErrorNote key={message} message={message} />
      ))}
      <PlainTable
        label={`Contents of ${object.name}`}
        rows={shown}
        rowKey={refId}
        empty="Nothing that this role sees."
        columns={[
          { name: 'Name', cell: (ref) => <Link href={refAddress(ref)}>{ref.name}</Link> },
          { name: 'Kind', cell: (ref) => kindTitle(ref.kind) },
          { name: 'Comment', cell: (ref) => ref.comment },
        ]}
      />
      {refs.length > shown.length && (
        <p className="secondary">The first {SHOWN_MAX}; the tree finds the others.</p>
      )}
    </div>
  );
}

const SHOWN_MAX = 300;

function countsInWords(refs: readonly ObjectRef[]): string {
  const counts = SCHEMA_KINDS.flatMap((kind) => {
    const count = refs.filter((ref) => ref.kind === kind).length;
    if (count === 0) return [];
    return [
      `${count.toLocaleString('en')} ${count === 1 ? kind : KINDS[kind].plural.toLowerCase()}`,
    ];
  });
  return counts.join(', ');
}
