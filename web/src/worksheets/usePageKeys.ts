import { FileText, Play, Plus, Table2 } from 'lucide-react';
import { useMemo } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { type CatalogTable, openCatalog, openDatabase, useCatalog } from '../api/catalog';
import { useIdentity } from '../api/identity';
import { runObjects, sqlPath, sqlText } from '../api/query';
import { addFinder, type Command, matches, useCommands } from '../shell/commands';
import { currentRole } from '../shell/role';
import { isDialogOpen, type Shortcuts, useShortcuts } from '../shell/shortcuts';
import {
  cancelHere,
  closeHere,
  formatShown,
  goToTab,
  newWorksheet,
  runAll,
  runAtCursor,
  saveHere,
} from './actions';
import { insertInEditor } from './insert';
import { isRunning } from './run/run';
import { runOf } from './run/runStore';
import { openFromServer, refreshList, useStoredList } from './storedList';
import { activeWorksheet } from './worksheetStore';

const FOUND_MAX = 20;
const SEARCHED_MAX = 200;

/** The keys of the page, wherever the focus is, and what it adds to the palette. */
export function usePageKeys(): void {
  useShortcuts(KEYS);
  useCommands(useMemo(commands, []));
}

// Once this page was loaded, its worksheets and tables are found from every page.
addFinder(findWorksheets);
addFinder(findTables);

const KEYS: Shortcuts = {
  'Mod+Enter': unlessDialog(runAtCursor),
  'Mod+Shift+Enter': unlessDialog(runAll),
  'Mod+.': unlessDialog(cancelHere),
  'Mod+S': unlessDialog(saveHere),
  'Alt+Shift+F': unlessDialog(() => void formatShown()),
  'Alt+T': unlessDialog(newWorksheet),
  'Alt+W': unlessDialog(closeShown),
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [
      `Alt+${index + 1}`,
      unlessDialog(() => goToTab(index)),
    ]),
  ),
  Escape: unlessDialog(cancelIfRunning),
};

function unlessDialog(act: () => void) {
  return () => {
    if (!isDialogOpen()) act();
  };
}

function cancelIfRunning(): void {
  const worksheet = activeWorksheet();
  if (worksheet && isRunning(runOf(worksheet.id))) cancelHere();
}

function closeShown(): void {
  const worksheet = activeWorksheet();
  if (worksheet) void closeHere(worksheet.id);
}

function commands(): Command[] {
  const group = 'Worksheet';
  return [
    { id: 'new', name: 'New worksheet', group, keys: 'Alt+T', icon: Plus, run: newWorksheet },
    { id: 'run', name: 'Run statement', group, keys: 'Mod+Enter', icon: Play, run: runAtCursor },
    { id: 'run all', name: 'Run all', group, keys: 'Mod+Shift+Enter', icon: Play, run: runAll },
    { id: 'format', name: 'Format', group, keys: 'Shift+Alt+F', run: () => void formatShown() },
  ];
}

function findWorksheets(text: string): Command[] {
  return (useStoredList.getState().names ?? [])
    .map(
      ({ name }): Command => ({
        id: `worksheet ${name}`,
        name,
        group: 'Worksheets',
        icon: FileText,
        run: () => {
          navigate('/worksheets');
          void openFromServer(name);
        },
      }),
    )
    .filter((command) => matches(command, text))
    .slice(0, FOUND_MAX);
}

/** Reads what the palette finds, on pages that have not needed it yet. */
export async function prepareFinders(): Promise<void> {
  const { identity } = useIdentity.getState();
  if (useStoredList.getState().names === null) void refreshList();
  await openCatalog(currentRole());
  if (identity?.database) await openDatabase(identity.database);
}

/** Tables of the databases that were opened: their pages, and in a worksheet their names. */
function findTables(text: string): Command[] {
  if (text === '') return [];
  const found: Command[] = [];
  for (const database of useCatalog.getState().databases ?? []) {
    for (const { tables } of database.schemas ?? []) {
      for (const table of tables) {
        if (found.length >= FOUND_MAX) return found;
        const command = openTable(table);
        if (!matches(command, text)) continue;
        found.push(command);
        if (location.pathname.startsWith('/worksheets')) found.push(writeName(command));
      }
    }
  }
  return found;
}

/** Tables and views of every database that the role sees. */
export async function searchTables(text: string, signal: AbortSignal): Promise<Command[]> {
  const [longest = ''] = text.split(/[\s.]+/).sort((one, other) => other.length - one.length);
  if (longest === '') return [];
  const rows = await runObjects(
    `SHOW TERSE OBJECTS LIKE ${sqlText(`%${longest}%`)} IN ACCOUNT LIMIT ${SEARCHED_MAX}`,
    { role: currentRole() },
    signal,
  );
  const wanted = text.replaceAll('.', ' ');
  return rows
    .map(({ kind, database_name, schema_name, name }) =>
      openTable({
        kind: kind === 'VIEW' ? 'view' : 'table',
        database: database_name ?? '',
        schema: schema_name ?? '',
        name: name ?? '',
      }),
    )
    .filter((command) => matches(command, wanted))
    .slice(0, FOUND_MAX);
}

function openTable({ kind, database, schema, name }: Omit<CatalogTable, 'columns'>): Command {
  const path = sqlPath(database, schema, name);
  return {
    id: `table ${path}`,
    name: path,
    group: 'Table',
    icon: Table2,
    run: () => navigate(`/data?${new URLSearchParams({ kind, database, schema, name })}`),
  };
}

function writeName({ name }: Command): Command {
  return {
    id: `write ${name}`,
    name,
    group: 'Write the name of a table',
    icon: Table2,
    run: () => insertInEditor(name),
  };
}
