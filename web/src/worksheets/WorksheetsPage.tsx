import { lazy, Suspense, useEffect } from 'react';
import { openCatalog, openDatabase, useCatalog } from '../api/catalog';
import { useIdentity } from '../api/identity';
import { Waiting } from '../components/States';
import { InTopBar } from '../shell/TopBar';
import { followHere } from './run/runHere';
import { useRuns } from './run/runStore';
import { startSaving } from './saving';
import { refreshList } from './storedList';
import { usePageKeys } from './usePageKeys';
import { WorksheetPanels } from './WorksheetPanels';
import './WorksheetsPage.css';
import { WorksheetTabs } from './WorksheetTabs';
import {
  hasKept,
  keepRuns,
  openKept,
  useActiveWorksheet,
  useWorksheets,
  writeAllLocally,
} from './worksheetStore';

const ConflictDialog = lazy(() => import('./ConflictDialog'));

export default function WorksheetsPage() {
  const user = useIdentity((state) => state.identity?.user ?? null);
  const isOpen = useWorksheets((state) => state.user !== null && state.user === user);
  useEffect(() => {
    if (user === null) return;
    // Before a first worksheet is made, the names on the server are wanted, so that it gets a free one.
    const listed = refreshList();
    if (hasKept(user)) openKept(user);
    else void listed.then(() => openKept(user));
  }, [user]);
  useEffect(() => {
    if (!isOpen) return;
    for (const { id } of useWorksheets.getState().open) void followHere(id);
    const stopSaving = startSaving();
    const stopKeeping = keepRuns();
    return () => {
      stopSaving();
      stopKeeping();
    };
  }, [isOpen]);
  useEffect(() => {
    window.addEventListener('pagehide', writeAllLocally);
    return () => window.removeEventListener('pagehide', writeAllLocally);
  }, []);
  return isOpen ? <OpenWorksheets /> : <Waiting />;
}

function OpenWorksheets() {
  const worksheet = useActiveWorksheet();
  const run = useRuns(({ runs }) => (worksheet ? (runs[worksheet.id] ?? null) : null));
  const role = worksheet?.context.role ?? null;
  const database = worksheet?.context.database ?? null;
  const hasCatalog = useCatalog((state) => state.databases !== null && state.role === role);
  useEffect(() => void openCatalog(role), [role]);
  // Its tables are wanted for completion.
  useEffect(() => {
    if (hasCatalog && database !== null) void openDatabase(database);
  }, [hasCatalog, database]);
  useEffect(() => {
    document.title = worksheet ? `${worksheet.name} · firn` : 'Worksheets · firn';
  }, [worksheet?.name, worksheet]);
  usePageKeys();
  return (
    <>
      <InTopBar>
        <h1 className="visually-hidden">Worksheets</h1>
        <WorksheetTabs />
      </InTopBar>
      {worksheet && <WorksheetPanels worksheet={worksheet} run={run} />}
      {worksheet?.conflict && (
        <Suspense>
          <ConflictDialog worksheet={worksheet} theirs={worksheet.conflict} />
        </Suspense>
      )}
    </>
  );
}
