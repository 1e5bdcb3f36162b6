import { FolderOpen, RefreshCw, Search } from 'lucide-react';
import { useState } from 'react';
import { GridList, GridListItem } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { messageOf } from '../api/failure';
import { announce } from '../components/announce';
import { Button, IconButton } from '../components/Button';
import { SearchField } from '../components/fields';
import { ErrorNote, Waiting } from '../components/States';
import { DataTree } from './DataTree';
import { searchDatabase } from './loadObjects';
import { KINDS, kindTitle } from './objectKinds';
import { type ObjectRef, refAddress, refId } from './objectRef';
import { refreshTree, useTree } from './treeStore';

interface SearchState {
  text: string;
  found: ObjectRef[] | null;
  error: string | null;
}

/** The tree with its search: first over what is loaded, then over every database. */
export function DataSide({ selected }: { selected: ObjectRef | null }) {
  const [text, setText] = useState('');
  const [search, setSearch] = useState<SearchState | null>(null);
  const change = (wanted: string) => {
    setText(wanted);
    setSearch(null);
  };
  const searchAll = () => void searchEverywhere(text.trim(), setSearch);
  return (
    <>
      <div className="side-head">
        <h2 className="data-side-title">Objects</h2>
        <IconButton
          icon={RefreshCw}
          label="Read again"
          size={14}
          onPress={() => void refreshTree()}
        />
      </div>
      <div className="side-search">
        <SearchField
          label="Find objects"
          value={text}
          onChange={change}
          onSubmit={() => text.trim() !== '' && searchAll()}
        />
      </div>
      {text.trim() !== '' && !search && (
        <div className="data-search-all">
          <Button icon={Search} onPress={searchAll}>
            Search all databases
          </Button>
        </div>
      )}
      {search ? (
        <Found search={search} onClose={() => setSearch(null)} />
      ) : (
        <DataTree text={text} selected={selected} />
      )}
      <Link href="/data?files=own" className="data-own-files">
        <FolderOpen size={14} aria-hidden="true" />
        My files
      </Link>
    </>
  );
}

async function searchEverywhere(text: string, show: (search: SearchState) => void): Promise<void> {
  const { databases, role } = useTree.getState();
  show({ text, found: null, error: null });
  const lists = await Promise.allSettled(
    (databases ?? []).map(({ name }) => searchDatabase(name, text, role)),
  );
  const found = lists.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failed = lists.find((one) => one.status === 'rejected');
  const error = failed ? messageOf(failed.reason) : null;
  show({ text, found: withoutTwins(found), error });
  announce(`${found.length} found`);
}

/** A table that is found by several columns is shown once. */
function withoutTwins(found: readonly ObjectRef[]): ObjectRef[] {
  const byPath = new Map<string, ObjectRef>();
  for (const ref of found) {
    const path = refId({ ...ref, kind: ref.kind === 'view' ? 'table' : ref.kind });
    const known = byPath.get(path);
    if (!known) byPath.set(path, ref);
    else if (ref.comment) known.comment = [known.comment, ref.comment].filter(Boolean).join(', ');
  }
  return [...byPath.values()];
}

function Found({ search, onClose }: { search: SearchState; onClose: () => void }) {
  const [, go] = useLocation();
  const { found, error, text } = search;
  if (found === null) return <Waiting>Searching …</Waiting>;
  return (
    <>
      <div className="data-found-head">
        <span className="one-line">
          {found.length} with “{text}”
        </span>
        <Button look="quiet" onPress={onClose}>
          Back to the tree
        </Button>
      </div>
      {error && <ErrorNote message={error} />}
      <GridList
        className="data-found"
        aria-label="Found objects"
        items={found.map((ref) => ({ id: refId(ref), ref }))}
        renderEmptyState={() => <p className="side-note">Nothing is called like that.</p>}
        onAction={(key) => {
          const ref = found.find((one) => refId(one) === key);
          if (ref) go(refAddress(ref));
        }}
      >
        {({ ref }) => <FoundItem found={ref} />}
      </GridList>
    </>
  );
}

function FoundItem({ found }: { found: ObjectRef }) {
  const Icon = KINDS[found.kind].icon;
  return (
    <GridListItem
      id={refId(found)}
      textValue={`${kindTitle(found.kind)} ${found.name}`}
      className="object-row data-found-row"
    >
      <Icon size={14} aria-hidden="true" />
      <span className="data-found-text">
        <span className="one-line">{found.name}</span>
        <span className="one-line secondary">
          {found.database}.{found.schema}
          {found.comment && ` · ${found.comment}`}
        </span>
      </span>
    </GridListItem>
  );
}
