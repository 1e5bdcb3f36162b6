import { Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { Link } from 'wouter';
import { OWN_STAGE } from '../api/stageFiles';
import { Button } from '../components/Button';
import { EmptyState, Waiting } from '../components/States';
import { useIsNarrow } from '../components/useDevice';
import { useAddressQuery } from '../shell/addressQuery';
import { useRole } from '../shell/role';
import { PageTitle } from '../shell/TopBar';
import './DataPage.css';
import { DataSide } from './DataSide';
import { ObjectPage } from './ObjectPage';
import { refId, refOfQuery } from './objectRef';
import { StageFiles } from './StageFiles';
import { openTree, reveal, useTree } from './treeStore';

const LoadDialog = lazy(() => import('./load/LoadDialog'));

export default function DataPage() {
  const query = useAddressQuery();
  const selected = refOfQuery(query);
  const ownFiles = query.get('files') === 'own';
  const role = useRole();
  const isNarrow = useIsNarrow();
  const [file, setFile] = useState<File | null>(null);
  const selectedId = selected && refId(selected);
  const isReady = useTree(({ databases }) => databases !== null);
  useEffect(() => {
    if (role !== null) void openTree(role);
  }, [role]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id stands for the object
  useEffect(() => {
    if (isReady && selected) reveal(selected);
  }, [isReady, selectedId]);
  const tree = (
    <aside className="data-side" aria-label="Objects" data-part="tree">
      <DataSide selected={selected} />
      {(isNarrow || selected || ownFiles) && (
        <div className="data-side-load">
          <LoadButton onFile={setFile} />
        </div>
      )}
    </aside>
  );
  const main = (
    <section className="data-main" aria-label="Object" data-part="object">
      {isNarrow && (selected || ownFiles) && (
        <Link href="/data" className="data-back">
          ← All objects
        </Link>
      )}
      {selected ? (
        <ObjectPage key={refId(selected)} object={selected} />
      ) : ownFiles ? (
        <OwnFiles />
      ) : (
        <NothingChosen onFile={setFile} />
      )}
    </section>
  );
  return (
    <DropTarget onFile={setFile}>
      <PageTitle>Data</PageTitle>
      {isNarrow ? (
        selected || ownFiles ? (
          main
        ) : (
          tree
        )
      ) : (
        <Group orientation="horizontal">
          <Panel
            id="tree"
            minSize={180}
            maxSize={560}
            defaultSize={272}
            groupResizeBehavior="preserve-pixel-size"
          >
            {tree}
          </Panel>
          <Separator className="panel-line" aria-label="Width of the tree" />
          <Panel id="object" minSize={320}>
            {main}
          </Panel>
        </Group>
      )}
      {file && (
        <Suspense fallback={<Waiting />}>
          <LoadDialog file={file} near={selected} onClose={() => setFile(null)} />
        </Suspense>
      )}
    </DropTarget>
  );
}

function NothingChosen({ onFile }: { onFile: (file: File) => void }) {
  return (
    <EmptyState
      icon={Upload}
      title="Choose an object, or bring a file"
      actions={<LoadButton onFile={onFile} />}
    >
      Drop a CSV, JSON or Parquet file anywhere on this page to make a table of it.
    </EmptyState>
  );
}

function LoadButton({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon={Upload} onPress={() => input.current?.click()}>
        Table from a file …
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to make a table of"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.parquet,.gz"
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}

function OwnFiles() {
  const role = useRole();
  return (
    <>
      <header className="data-head">
        <h2>My files</h2>
        <p className="secondary">Nobody else sees them. SQL calls the place @~.</p>
      </header>
      <StageFiles place={{ ...OWN_STAGE, role }} name="@~" />
    </>
  );
}

/** Takes files that are dropped anywhere on the page. */
function DropTarget(props: { onFile: (file: File) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const holdsFile = (event: React.DragEvent) => event.dataTransfer.types.includes('Files');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keyboard
    <div
      className="data-page"
      onDragOver={(event) => {
        if (event.defaultPrevented || !holdsFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (event.defaultPrevented || !holdsFile(event)) return;
        event.preventDefault();
        const file = event.dataTransfer.files[0];
        if (file) props.onFile(file);
      }}
    >
      {props.children}
      {isOver && <div className="data-drop">Drop it to make a table of it</div>}
    </div>
  );
}
