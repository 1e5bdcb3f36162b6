import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf } from '../../api/failure';
import { useIdentity } from '../../api/identity';
import { scriptText } from '../../api/script';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { notify } from '../../components/notices';
import { SqlPreview } from '../../components/SqlPreview';
import { ErrorNote, Waiting } from '../../components/States';
import { shownCount } from '../../components/shownTime';
import { useRemote } from '../../components/useRemote';
import { useRole } from '../../shell/role';
import { type ObjectRef, refAddress } from '../objectRef';
import { shownBytes } from '../stageFolders';
import { refreshTree, useTree } from '../treeStore';
import { ColumnsEditor } from './ColumnsEditor';
import { createTable } from './createTable';
import { FormatFields } from './FormatFields';
import type { FileFormat } from './fileFormat';
import './LoadDialog.css';
import { loadStatements } from './loadStatements';
import { readFile } from './readFile';
import { TablePlace, type TablePlaceValue, tableNameOf, tablePath } from './TablePlace';
import { type NewColumn, problemOf, typedName } from './tableColumns';
import { useUpload } from './useUpload';

interface LoadDialogProps {
  file: File;
  /** What the page shows: the table is proposed beside it. */
  near: ObjectRef | null;
  onClose: () => void;
}

/** From a file to a table: bring it, look at its columns, name the table, create it. */
export default function LoadDialog({ file, near, onClose }: LoadDialogProps) {
  const role = useRole();
  const [place, setPlace] = usePlace(file, near);
  const [given, setGiven] = useState<FileFormat | null>(null);
  const [edited, setEdited] = useState<{ of: NewColumn[]; columns: NewColumn[] } | null>(null);
  const [state, setState] = useState<{ isRunning: boolean; error: string | null }>({
    isRunning: false,
    error: null,
  });
  const [, go] = useLocation();
  const { path, brought } = useUpload(file);
  const context = { role, database: place.database, schema: place.schema };
  const format = given ?? brought.value ?? null;
  const read = useRemote(brought.value && format ? JSON.stringify(format) : null, (signal) =>
    format
      ? readFile(path, format, context, signal)
      : Promise.reject(new Error('No file is there.')),
  );
  const found = read.value?.columns ?? null;
  const columns = edited?.of === found && edited ? edited.columns : found;
  const problem = columns && (place.name.trim() === '' ? 'Name the table.' : problemOf(columns));
  const statements =
    columns && format && !problem
      ? loadStatements({ table: tablePath(place), path, format, columns })
      : null;

  const create = async () => {
    if (!statements || state.isRunning) return;
    setState({ isRunning: true, error: null });
    try {
      const loaded = await createTable(statements, context);
      notify(`${typedName(place.name)} has ${shownCount(loaded)} rows.`);
      onClose();
      void refreshTree();
      go(refAddress({ kind: 'table', ...place, name: tableNameOf(place) }));
    } catch (error) {
      setState({ isRunning: false, error: messageOf(error) });
    }
  };
  const error = brought.error ?? read.error;
  return (
    <Dialog
      title="Table from a file"
      width="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            isDisabled={statements === null || state.isRunning}
            onPress={() => void create()}
          >
            {state.isRunning ? 'Creating …' : 'Create'}
          </Button>
        </>
      }
    >
      <p className="secondary load-file">
        {file.name}, {shownBytes(file.size)}
      </p>
      <TablePlace value={place} onChange={setPlace} onSubmit={() => void create()} />
      {format && <FormatFields format={format} onChange={setGiven} />}
      {error ? (
        <ErrorNote message={error} />
      ) : !columns || !read.value || read.isLoading ? (
        <Waiting>{brought.value ? 'Looking at the columns …' : 'Bringing the file …'}</Waiting>
      ) : (
        <ColumnsEditor
          columns={columns}
          content={read.value}
          onChange={(changed) => found && setEdited({ of: found, columns: changed })}
        />
      )}
      {problem && !error && <p className="field-error">{problem}</p>}
      {statements && <SqlPreview text={scriptText([statements.create, statements.load])} />}
      {state.error && <ErrorNote title="Not created" message={state.error} />}
    </Dialog>
  );
}

/** Beside what is shown, else where the user works, else in the first database. */
function usePlace(file: File, near: ObjectRef | null) {
  const identity = useIdentity((state) => state.identity);
  const databases = useTree((tree) => tree.databases);
  const first = databases?.find(({ name }) => name !== 'SNOWFLAKE')?.name ?? '';
  const name = proposedName(file.name);
  const state = useState<TablePlaceValue>(() => {
    const usable = near && near.schema !== 'INFORMATION_SCHEMA' && near.database !== 'SNOWFLAKE';
    if (usable && near.kind === 'schema') {
      return { database: near.database, schema: near.name, name };
    }
    if (usable && near.schema) return { database: near.database, schema: near.schema, name };
    if (usable && near.kind === 'database') {
      return { database: near.database, schema: 'PUBLIC', name };
    }
    if (identity?.database) {
      return { database: identity.database, schema: identity.schema ?? 'PUBLIC', name };
    }
    return { database: first, schema: 'PUBLIC', name };
  });
  const [place, setPlace] = state;
  useEffect(() => {
    if (place.database === '' && first !== '') setPlace({ ...place, database: first });
  }, [place, first]);
  return state;
}

function proposedName(fileName: string): string {
  const stem = fileName.replace(/\.(gz|bz2|zst|deflate)$/i, '').replace(/\.[a-z]+$/i, '');
  const name = stem.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return (/^[0-9]/.test(name) ? `T_${name}` : name || 'NEW_TABLE').toUpperCase();
}
