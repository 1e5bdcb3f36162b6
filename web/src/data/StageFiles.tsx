import { Download, Folder, FolderUp, RefreshCw, Trash2, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { messageOf } from '../api/failure';
import { listFiles, type StagePlace, stageFilesAddress } from '../api/stageFiles';
import { announce } from '../components/announce';
import { Button, IconButton } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownAgo, shownCount } from '../components/shownTime';
import { useRemote } from '../components/useRemote';
import { StageDialog, type StageQuestion } from './StageDialog';
import './StageFiles.css';
import { downloadStaged, uploadStaged } from './stageActions';
import { entriesOf, foldersAbove, type StageEntry, shownBytes } from './stageFolders';

interface StageFilesProps {
  place: StagePlace;
  /** As SQL calls it: @~, @landing. */
  name: string;
}

const SHOWN_MAX = 500;

/** The files of a stage by folders: bring, fetch, remove. */
export function StageFiles({ place, name }: StageFilesProps) {
  const [folder, setFolder] = useState('');
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [question, setQuestion] = useState<StageQuestion | null>(null);
  const key = `${place.role} ${stageFilesAddress(place)}`;
  const { value: files, error, reload } = useRemote(key, (signal) => listFiles(place, '', signal));

  const during = async (words: string, act: () => Promise<string>) => {
    setBusy(words);
    setFailure(null);
    try {
      announce(await act());
    } catch (thrown) {
      setFailure(messageOf(thrown));
    }
    setBusy(null);
    reload();
  };
  const upload = (chosen: readonly File[], overwrite: boolean) =>
    during(`Bringing ${chosen.map((file) => file.name).join(', ')} …`, async () => {
      const kept = await uploadStaged(place, folder, chosen, overwrite);
      if (kept.length > 0) setQuestion({ kind: 'overwrite', files: kept });
      return `${chosen.length - kept.length} files brought`;
    });
  const download = (entry: StageEntry) =>
    entry.file &&
    void during(`Fetching ${entry.name} …`, async () => {
      if (entry.file) await downloadStaged(place, entry.file);
      return `${entry.name} fetched`;
    });
  if (error) return <ErrorNote message={error} />;
  if (!files) return <Waiting />;
  const entries = entriesOf(files, folder);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard
    <div
      className="stage-files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void upload([...event.dataTransfer.files], false);
      }}
    >
      <div className="stage-bar">
        <nav aria-label="Folder" className="stage-path">
          <FolderButton name={name} path="" onOpen={setFolder} />
          {foldersAbove(folder).map((path) => (
            <FolderButton key={path} name={lastPart(path)} path={path} onOpen={setFolder} />
          ))}
        </nav>
        <UploadButton onFiles={(chosen) => void upload(chosen, false)} />
        <Button icon={FolderUp} onPress={() => setQuestion({ kind: 'folder' })}>
          Folder …
        </Button>
        <IconButton icon={RefreshCw} label="List again" onPress={reload} />
      </div>
      {busy && <Waiting>{busy}</Waiting>}
      {failure && <ErrorNote message={failure} />}
      {entries.length === 0 ? (
        <EmptyState icon={Folder} title="No files here">
          Drop files onto this list to bring them.
        </EmptyState>
      ) : (
        <PlainTable
          label={`Files of ${name}`}
          rows={entries.slice(0, SHOWN_MAX)}
          rowKey={({ path }) => path}
          columns={[
            {
              name: 'Name',
              cell: (entry) =>
                entry.file ? (
                  entry.name
                ) : (
                  <FolderButton name={`${entry.name}/`} path={entry.path} onOpen={setFolder} />
                ),
            },
            {
              name: 'Size',
              look: 'number',
              cell: ({ size }) => shownBytes(size),
            },
            {
              name: 'Changed',
              cell: ({ lastModified, file, count }) =>
                file ? shownAgo(lastModified) : `${shownCount(count)} files`,
            },
            {
              name: 'What to do',
              look: 'actions',
              cell: (entry) =>
                entry.file && (
                  <>
                    <IconButton
                      icon={Download}
                      label={`Fetch ${entry.name}`}
                      onPress={() => download(entry)}
                    />
                    <IconButton
                      icon={Trash2}
                      label={`Remove ${entry.name}`}
                      onPress={() =>
                        entry.file && setQuestion({ kind: 'remove', file: entry.file })
                      }
                    />
                  </>
                ),
            },
          ]}
        />
      )}
      {entries.length > SHOWN_MAX && (
        <p className="secondary">
          The first {SHOWN_MAX} of {shownCount(entries.length)}; LIST {name} has all.
        </p>
      )}
      <StageDialog
        place={place}
        question={question}
        onClose={() => setQuestion(null)}
        onFolder={(path) => setFolder(`${folder}${path}/`)}
        onOverwrite={(chosen) => void upload(chosen, true)}
        onRemoved={(words) => {
          announce(words);
          reload();
        }}
      />
    </div>
  );
}

function lastPart(path: string): string {
  return `${path.split('/').at(-2) ?? ''}/`;
}

function FolderButton(props: { name: string; path: string; onOpen: (path: string) => void }) {
  return (
    <AriaButton className="stage-folder" onPress={() => props.onOpen(props.path)}>
      <Folder size={14} aria-hidden="true" />
      {props.name}
    </AriaButton>
  );
}

function UploadButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon={Upload} onPress={() => input.current?.click()}>
        Bring files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to bring"
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          target.value = '';
          if (chosen.length > 0) onFiles(chosen);
        }}
      />
    </>
  );
}
