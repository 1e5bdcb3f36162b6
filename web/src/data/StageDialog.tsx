import { useState } from 'react';
import { messageOf } from '../api/failure';
import { removeFile, type StageFile, type StagePlace } from '../api/stageFiles';
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { TextField } from '../components/fields';
import { ErrorNote } from '../components/States';

export type StageQuestion =
  | { kind: 'remove'; file: StageFile }
  | { kind: 'overwrite'; files: File[] }
  | { kind: 'folder' };

interface StageDialogProps {
  place: StagePlace;
  question: StageQuestion | null;
  onClose: () => void;
  onFolder: (name: string) => void;
  onOverwrite: (files: File[]) => void;
  onRemoved: (words: string) => void;
}

export function StageDialog(props: StageDialogProps) {
  const { question, onClose } = props;
  if (question?.kind === 'remove') return <RemoveDialog {...props} file={question.file} />;
  if (question?.kind === 'folder') return <FolderDialog {...props} />;
  if (question?.kind !== 'overwrite') return null;
  return (
    <Dialog
      title="Replace what is there?"
      role="alertdialog"
      width="small"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep</Button>
          <Button
            look="primary"
            onPress={() => {
              onClose();
              props.onOverwrite(question.files);
            }}
          >
            Replace
          </Button>
        </>
      }
    >
      <p>The folder has files of these names already:</p>
      <ul className="mono">
        {question.files.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Removes the version that the list shows, and no newer one. */
function RemoveDialog({ place, file, onClose, onRemoved }: StageDialogProps & { file: StageFile }) {
  const [error, setError] = useState<string | null>(null);
  const remove = async () => {
    try {
      const isRemoved = await removeFile(place, file.path, `"${file.md5}"`);
      if (!isRemoved) {
        setError('The file has changed since it was listed, and was left alone. List it again.');
        return;
      }
      onRemoved(`${file.path} removed`);
      onClose();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <Dialog
      title="Remove this file?"
      role="alertdialog"
      width="small"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep</Button>
          <Button look="danger" onPress={() => void remove()}>
            Remove
          </Button>
        </>
      }
    >
      <p className="mono stage-file-name">{file.path}</p>
      <p className="secondary">It cannot be brought back.</p>
      {error && <ErrorNote message={error} />}
    </Dialog>
  );
}

/** A folder is there once a file lies in it, so this only goes to its place. */
function FolderDialog({ onClose, onFolder }: StageDialogProps) {
  const [name, setName] = useState('');
  const clean = name.trim().replaceAll(/^\/+|\/+$/g, '');
  const open = () => {
    if (clean === '') return;
    onClose();
    onFolder(clean);
  };
  return (
    <Dialog
      title="Folder"
      width="small"
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" isDisabled={clean === ''} onPress={open}>
          Go there
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          open();
        }}
      >
        <TextField
          label="Name"
          hint="It is made by the first file that is brought into it."
          value={name}
          onChange={setName}
          autoFocus
        />
      </form>
    </Dialog>
  );
}
