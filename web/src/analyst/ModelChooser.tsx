import { FileCode2, FilePlus2, Pencil, Table2, Upload } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { FileTrigger, GridList, GridListItem } from 'react-aria-components';
import { messageOf } from '../api/failure';
import { listModelFiles, listSemanticViews } from '../api/semanticModels';
import { parseStageAddress } from '../api/stagePath';
import { Button, IconButton } from '../components/Button';
import { SearchField, TextField } from '../components/fields';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import './ModelChooser.css';
import type { ModelChoice } from './model';
import { editModel, useModelDraft } from './modelDraft';
import { TEMPLATE } from './modelTemplate';
import { openModelForEditing } from './openModel';

interface ModelChooserProps {
  onChoose: (model: ModelChoice) => void;
  onCancel?: () => void;
}

/** What can be asked: semantic views, files on stages, and texts of one's own. */
export function ModelChooser({ onChoose, onCancel }: ModelChooserProps) {
  const role = useRole();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const views = useRemote(`views ${role}`, (signal) => listSemanticViews(role, signal));
  const files = useRemote(`files ${role}`, (signal) => listModelFiles(role, signal));
  const draft = useModelDraft((state) => state.draft);
  const wanted = text.trim().toLowerCase();
  const edit = (model: ModelChoice) => {
    setError(null);
    openModelForEditing(model).catch((failure: unknown) => setError(messageOf(failure)));
  };
  const upload = async (chosen: FileList | null) => {
    const file = chosen?.[0];
    if (file) editModel(await file.text(), { kind: 'new' });
  };
  const viewRows = (views.value ?? [])
    .filter(({ path, comment }) => `${path} ${comment}`.toLowerCase().includes(wanted))
    .map(
      ({ name, path, comment, database, schema }): ModelRow => ({
        id: path,
        name,
        place: `${database}.${schema}`,
        comment,
        model: { kind: 'view', path },
      }),
    );
  const fileRows = (files.value?.files ?? [])
    .filter(({ address }) => address.toLowerCase().includes(wanted))
    .map(
      ({ address, path }): ModelRow => ({
        id: address,
        name: path,
        place: address,
        comment: '',
        model: { kind: 'file', address },
      }),
    );
  return (
    <div className="chooser" data-part="models">
      <div className="chooser-head">
        <h2>What do you want to ask about?</h2>
        {onCancel && <Button onPress={onCancel}>Cancel</Button>}
      </div>
      <SearchField label="Find a model" value={text} onChange={setText} autoFocus />
      {error && <ErrorNote message={error} />}

      <h3>Semantic views</h3>
      {views.error && <ErrorNote message={views.error} />}
      {views.value === undefined && !views.error && <Waiting />}
      {views.value && (
        <ModelRows
          label="Semantic views"
          rows={viewRows}
          none={
            text.trim() === ''
              ? 'Your role sees no semantic view.'
              : 'Your role sees no semantic view of this name.'
          }
          onChoose={onChoose}
          onEdit={edit}
        />
      )}

      <h3>YAML files on stages</h3>
      {files.error && <ErrorNote message={files.error} />}
      {files.value === undefined && !files.error && <Waiting>Looking into the stages …</Waiting>}
      {files.value && (
        <ModelRows
          label="YAML files on stages"
          rows={fileRows}
          none="None on the stages that your role sees."
          onChoose={onChoose}
          onEdit={edit}
        />
      )}
      {files.value !== undefined && files.value.stagesLeft > 0 && (
        <p className="secondary">
          {files.value.stagesLeft} more stages were not looked into; write the path of a file there.
        </p>
      )}
      <PathForm onChoose={onChoose} />

      <h3>A model of your own</h3>
      <div className="chooser-own">
        <FileTrigger acceptedFileTypes={['.yaml', '.yml']} onSelect={(list) => void upload(list)}>
          <Button icon={Upload}>Upload a YAML file</Button>
        </FileTrigger>
        <Button icon={FilePlus2} onPress={() => editModel(TEMPLATE, { kind: 'new' })}>
          Write or paste YAML
        </Button>
        {draft && (
          <Button icon={Pencil} onPress={() => useModelDraft.setState({ isShown: true })}>
            Go on with your draft
          </Button>
        )}
      </div>
    </div>
  );
}

interface ModelRow {
  id: string;
  name: string;
  place: string;
  comment: string;
  model: ModelChoice;
}

interface ModelRowsProps {
  label: string;
  rows: ModelRow[];
  none: string;
  onChoose: (model: ModelChoice) => void;
  onEdit: (model: ModelChoice) => void;
}

function ModelRows({ label, rows, none, onChoose, onEdit }: ModelRowsProps) {
  const byId = new Map(rows.map((row) => [row.id, row.model]));
  return (
    <GridList
      className="model-rows"
      aria-label={label}
      items={rows}
      onAction={(id) => {
        const model = byId.get(String(id));
        if (model) onChoose(model);
      }}
      renderEmptyState={() => <p className="model-rows-none">{none}</p>}
    >
      {({ id, name, place, comment, model }) => (
        <GridListItem id={id} textValue={name} className="model-row">
          {model.kind === 'view' ? (
            <Table2 className="model-row-icon" size={15} aria-hidden="true" />
          ) : (
            <FileCode2 className="model-row-icon" size={15} aria-hidden="true" />
          )}
          <span className="model-row-text">
            <span className="model-row-name">
              <strong>{name}</strong> <span className="secondary">{place}</span>
            </span>
            {comment && <span className="secondary">{comment}</span>}
          </span>
          <IconButton icon={Pencil} label={`Edit ${name}`} onPress={() => onEdit(model)} />
        </GridListItem>
      )}
    </GridList>
  );
}

/** A file on a stage that was not looked into. */
function PathForm({ onChoose }: { onChoose: (model: ModelChoice) => void }) {
  const [address, setAddress] = useState('');
  const [isWrong, setWrong] = useState(false);
  const choose = (event: FormEvent) => {
    event.preventDefault();
    const isPath = parseStageAddress(address) !== null || address.startsWith('@~/');
    setWrong(!isPath);
    if (isPath) onChoose({ kind: 'file', address: address.trim() });
  };
  return (
    <form className="path-form" onSubmit={choose}>
      <TextField
        label="Path of another file"
        placeholder="@DATABASE.SCHEMA.STAGE/path.yaml"
        mono
        value={address}
        onChange={setAddress}
        error={isWrong ? 'Write it as @DATABASE.SCHEMA.STAGE/path.yaml.' : null}
      />
      <Button type="submit" isDisabled={address.trim() === ''}>
        Ask it
      </Button>
    </form>
  );
}
