import { FileText, Trash2 } from 'lucide-react';
import { GridList, GridListItem } from 'react-aria-components';
import { messageOf } from '../api/failure';
import { IconButton } from '../components/Button';
import { notify } from '../components/notices';
import { Waiting } from '../components/States';
import { shownAgo } from '../components/shownTime';
import { deleteWorksheet } from './actions';
import { deleteFromServer, openFromServer, useStoredList } from './storedList';
import { useWorksheets } from './worksheetStore';

export function StoredWorksheets({ text, onDone }: { text: string; onDone?: () => void }) {
  const { names, error } = useStoredList();
  if (error) return <p className="side-note">{error}</p>;
  if (names === null) return <Waiting />;
  const wanted = text.trim().toLowerCase();
  const found = names.filter(({ name }) => name.toLowerCase().includes(wanted));
  const open = (name: string) => {
    openFromServer(name).catch((failure: unknown) => notify(`Not opened: ${messageOf(failure)}`));
    onDone?.();
  };
  return (
    <GridList
      className="stored-worksheets"
      aria-label="Worksheets"
      items={found.map((one) => ({ ...one, id: one.name }))}
      onAction={(name) => open(String(name))}
      renderEmptyState={() => (
        <p className="side-note">
          {names.length === 0
            ? 'Worksheets are kept here once they hold text.'
            : 'None is called like that.'}
        </p>
      )}
    >
      {({ name, changedMs }) => (
        <GridListItem id={name} textValue={name} className="stored-row">
          <FileText size={14} aria-hidden="true" />
          <span className="one-line">{name}</span>
          <span className="stored-time">{shownAgo(changedMs)}</span>
          <IconButton
            icon={Trash2}
            label={`Delete ${name}`}
            size={14}
            onPress={() => remove(name)}
          />
        </GridListItem>
      )}
    </GridList>
  );
}

function remove(name: string): void {
  const open = useWorksheets.getState().open.find((one) => one.stored?.name === name);
  const removal = open ? deleteWorksheet(open.id) : deleteFromServer(name);
  removal.catch((failure: unknown) => notify(`Not deleted: ${messageOf(failure)}`));
}
