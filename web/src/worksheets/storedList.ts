// The list of the user's worksheets on the server.
import { create } from 'zustand';
import { messageOf } from '../api/failure';
import { notify } from '../components/notices';
import { listStored, readStored, removeStored, type StoredName, writeStored } from './serverCopies';
import { parseContent } from './worksheet';
import { addWorksheet, noteNames, openStored, useWorksheets } from './worksheetStore';

interface StoredList {
  names: StoredName[] | null;
  error: string | null;
}

export const useStoredList = create<StoredList>(() => ({ names: null, error: null }));

export async function refreshList(): Promise<void> {
  try {
    const names = await listStored();
    noteNames(names.map(({ name }) => name));
    useStoredList.setState({ names, error: null });
  } catch (error) {
    useStoredList.setState({ error: messageOf(error) });
  }
}

export async function openFromServer(name: string): Promise<void> {
  const open = useWorksheets.getState().open.find((one) => one.stored?.name === name);
  const stored = open?.stored ?? (await readStored(name));
  if (stored) openStored(stored);
  else await refreshList();
}

export async function deleteFromServer(name: string): Promise<void> {
  const stored = await readStored(name);
  await removeStored(name);
  await refreshList();
  if (stored === null) return;
  notify(`“${name}” is deleted.`, {
    name: 'Undo',
    run: () => {
      writeStored(name, stored.content, 'absent')
        .then((written) => {
          if (written === null) addWorksheet({ name, ...parseContent(stored.content) });
          return refreshList();
        })
        .catch(() => addWorksheet({ name, ...parseContent(stored.content) }));
    },
  });
}
