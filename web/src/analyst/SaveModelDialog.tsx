import { type FormEvent, useState } from 'react';
import { messageOf } from '../api/failure';
import { useIdentity } from '../api/identity';
import { sqlPath } from '../api/query';
import { listSemanticViews, listStages, saveAsView } from '../api/semanticModels';
import { readFile, type WriteCondition, writeFile } from '../api/stageFiles';
import { parseStageAddress, stageAddress } from '../api/stagePath';
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { TextField } from '../components/fields';
import { notify } from '../components/notices';
import { ErrorNote } from '../components/States';
import { Tabs } from '../components/Tabs';
import { useRemote } from '../components/useRemote';
import { currentRole } from '../shell/role';
import { nameInYaml } from './model';
import { changeDraft, editModel, type ModelDraft } from './modelDraft';
import { forgetStarts } from './start';

interface SaveProps {
  draft: ModelDraft;
  onClose: () => void;
}

/** A model is saved as a file on a stage or as a semantic view. */
export function SaveModelDialog({ draft, onClose }: SaveProps) {
  const [kind, setKind] = useState(draft.origin.kind === 'view' ? 'view' : 'file');
  return (
    <Dialog title="Save the model" isOpen onClose={onClose}>
      <Tabs
        label="Where to"
        selected={kind}
        onSelect={setKind}
        tabs={[
          {
            id: 'file',
            name: 'File on a stage',
            content: <SaveAsFile draft={draft} onClose={onClose} />,
          },
          {
            id: 'view',
            name: 'Semantic view',
            content: <SaveAsView draft={draft} onClose={onClose} />,
          },
        ]}
      />
    </Dialog>
  );
}

function SaveAsFile({ draft, onClose }: SaveProps) {
  const { origin, yaml } = draft;
  const role = currentRole();
  const stages = useRemote(`stages ${role}`, (signal) => listStages(role, signal));
  const [typed, setTyped] = useState<string | null>(origin.kind === 'file' ? origin.address : null);
  const [first] = stages.value ?? [];
  const file = `${nameInYaml(yaml) || 'model'}.yaml`;
  const address = typed ?? (first ? stageAddress(first, file) : '');
  const [error, setError] = useState<string | null>(null);
  const [conflict, setConflict] = useState<'changed' | 'exists' | null>(null);
  const save = async (condition: WriteCondition) => {
    setError(null);
    const parsed = parseStageAddress(address);
    if (parsed === null) return setError('Write it as @DATABASE.SCHEMA.STAGE/path.yaml.');
    try {
      const place = { ...parsed.place, role };
      const written = await writeFile(place, parsed.path, yaml, condition);
      if (written.kind === 'conflict') {
        return setConflict(condition === 'absent' ? 'exists' : 'changed');
      }
      changeDraft({
        origin: { kind: 'file', address, etag: written.etag },
        savedYaml: yaml,
      });
      forgetStarts();
      notify(`Saved as ${address}.`);
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isOwn = origin.kind === 'file' && origin.address === address;
    void save(isOwn ? { matches: origin.etag } : 'absent');
  };
  const takeTheirs = async () => {
    const parsed = parseStageAddress(address);
    if (parsed === null) return;
    const theirs = await readFile({ ...parsed.place, role }, parsed.path);
    if (theirs) copyAside(yaml, theirs.text, address, theirs.etag, onClose);
  };
  return (
    <form className="save-form" onSubmit={submit}>
      <TextField
        label="Path"
        mono
        value={address}
        onChange={(text) => {
          setTyped(text);
          setConflict(null);
        }}
        placeholder="@DATABASE.SCHEMA.STAGE/path.yaml"
        hint={
          stages.value?.length === 0
            ? 'Your role sees no stage; CREATE STAGE makes one.'
            : 'A stage that your role may write to.'
        }
      />
      {error && <ErrorNote message={error} />}
      {conflict && (
        <div className="save-conflict" role="alert">
          <p>
            {conflict === 'changed'
              ? 'Somebody else has changed this file since you opened it.'
              : 'There is a file of this name already.'}
          </p>
          <div className="form-actions">
            <Button onPress={() => void takeTheirs()}>Show theirs instead</Button>
            <Button look="danger" onPress={() => void save('any')}>
              Write over it
            </Button>
          </div>
        </div>
      )}
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isDisabled={address.trim() === ''}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** Theirs goes into the editor; what was written here is a click away. */
function copyAside(
  mine: string,
  theirs: string,
  address: string,
  etag: string,
  onClose: () => void,
): void {
  editModel(theirs, { kind: 'file', address, etag });
  notify('The file of the stage is shown.', {
    name: 'Back to mine',
    run: () => editModel(mine, { kind: 'new' }),
  });
  onClose();
}

function SaveAsView({ draft, onClose }: SaveProps) {
  const { origin, yaml } = draft;
  const role = currentRole();
  const identity = useIdentity((state) => state.identity);
  const views = useRemote(`views ${role}`, (signal) => listSemanticViews(role, signal));
  const name = nameInYaml(yaml).toUpperCase();
  const [schema, setSchema] = useState(() => schemaAtFirst(origin, identity));
  const [error, setError] = useState<string | null>(null);
  const path = `${schema.toUpperCase()}.${sqlPath(name)}`;
  const isThere = views.value?.some((view) => view.path.toUpperCase() === path.toUpperCase());
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      await saveAsView(schema.trim(), yaml, role);
      changeDraft({ origin: { kind: 'view', path }, savedYaml: yaml });
      forgetStarts();
      notify(`Saved as the semantic view ${path}.`);
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <form className="save-form" onSubmit={(event) => void save(event)}>
      <TextField
        label="Database and schema"
        mono
        value={schema}
        onChange={setSchema}
        placeholder="DATABASE.SCHEMA"
        hint={`The view is called ${name || 'as the model, which has no name yet'}.`}
      />
      {isThere && (
        <p className="save-conflict">There is a semantic view {path} already. It is replaced.</p>
      )}
      <p className="secondary">
        Runs <code>CALL SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML('{schema}', …)</code> as{' '}
        {role ?? 'you'}.
      </p>
      {error && <ErrorNote message={error} />}
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          look="primary"
          type="submit"
          isDisabled={name === '' || !/^.+\..+$/.test(schema.trim())}
        >
          {isThere ? 'Replace' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

function schemaAtFirst(
  origin: ModelDraft['origin'],
  identity: { database?: string | null; schema?: string | null } | null,
): string {
  if (origin.kind === 'view') return origin.path.split('.').slice(0, -1).join('.');
  if (origin.kind === 'file') {
    const place = parseStageAddress(origin.address)?.place;
    if (place) return sqlPath(place.database, place.schema);
  }
  return identity?.database && identity.schema ? sqlPath(identity.database, identity.schema) : '';
}
