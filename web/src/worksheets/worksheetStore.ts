// The open worksheets: their texts in memory, in this browser at once, and on the server a second
// after typing ends (see saving.ts).
import { create } from 'zustand';
import { useIdentity } from '../api/identity';
import { newRequestId } from '../api/requestId';
import type { StatementContext } from '../api/statements';
import { forgetWorksheet, keepTabs, keepWorksheet, keptTabs, keptWorksheet } from './localCopies';
import { putRun, runOf, useRuns } from './run/runStore';
import { parseContent, type Stored, type Worksheet } from './worksheet';

interface WorksheetState {
  /** Whose worksheets these are; null until they are there. */
  user: string | null;
  open: Worksheet[];
  activeId: string | null;
}

export const useWorksheets = create<WorksheetState>(() => ({
  user: null,
  open: [],
  activeId: null,
}));

export function worksheetOf(id: string): Worksheet | null {
  return useWorksheets.getState().open.find((one) => one.id === id) ?? null;
}

export function activeWorksheet(): Worksheet | null {
  const { activeId } = useWorksheets.getState();
  return activeId === null ? null : worksheetOf(activeId);
}

export function useActiveWorksheet(): Worksheet | null {
  return useWorksheets(({ open, activeId }) => open.find(({ id }) => id === activeId) ?? null);
}

export function hasKept(user: string): boolean {
  return keptTabs(user).ids.some((id) => keptWorksheet(user, id) !== null);
}

/** Opens what was open in this browser, or one empty worksheet. */
export function openKept(user: string): void {
  if (useWorksheets.getState().user === user) return;
  const tabs = keptTabs(user);
  const open: Worksheet[] = [];
  for (const id of tabs.ids) {
    const kept = keptWorksheet(user, id);
    if (kept === null) continue;
    const { run, ...worksheet } = kept;
    open.push({ ...worksheet, conflict: null, saving: 'waiting', saveError: null });
    if (run !== null) putRun(id, run);
  }
  // What another page opened before the worksheets were shown for the first time.
  const before = useWorksheets.getState();
  const added = before.user === null ? before.open : [];
  const kept = open.some(({ id }) => id === tabs.active) ? tabs.active : (open[0]?.id ?? null);
  const active = added.at(-1)?.id ?? kept;
  useWorksheets.setState({ user, open: [...open, ...added], activeId: active });
  if (added.length > 0) keepOpenTabs();
  for (const { id } of added) keepLocally(id);
  if (open.length + added.length === 0) addWorksheet({});
}

export interface NewWorksheet {
  name?: string;
  text?: string;
  context?: StatementContext;
  stored?: Stored | null;
}

export function addWorksheet({ name, text = '', context, stored = null }: NewWorksheet): Worksheet {
  const worksheet: Worksheet = {
    id: newRequestId(),
    name: name ?? freeName('Untitled 1'),
    text,
    context: context ?? activeWorksheet()?.context ?? firstContext(),
    stored,
    conflict: null,
    saving: 'saved',
    saveError: null,
  };
  useWorksheets.setState(({ open }) => ({ open: [...open, worksheet], activeId: worksheet.id }));
  keepLocally(worksheet.id);
  keepOpenTabs();
  return worksheet;
}

function firstContext(): StatementContext {
  const identity = useIdentity.getState().identity;
  if (identity === null) return {};
  const { role, warehouse, database, schema } = identity;
  return { role, warehouse, database, schema };
}

/** Names that were seen in use: open ones here, and those of the list of the server. */
let namesInUse: ReadonlySet<string> = new Set();

export function noteNames(names: Iterable<string>): void {
  namesInUse = new Set(names);
}

export function noteName(name: string): void {
  namesInUse = new Set([...namesInUse, name]);
}

/** The name if no worksheet has it, else with the next free number behind it. */
export function freeName(wanted: string): string {
  const open = new Set(useWorksheets.getState().open.map(({ name }) => name));
  const isFree = (name: string) => !open.has(name) && !namesInUse.has(name);
  if (isFree(wanted)) return wanted;
  const base = wanted.replace(/ \d+$/, '');
  let number = 2;
  while (!isFree(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}

export function openStored(stored: Stored): void {
  const known = useWorksheets.getState().open.find(({ name }) => name === stored.name);
  if (known) activate(known.id);
  else addWorksheet({ name: stored.name, stored, ...parseContent(stored.content) });
}

export function activate(id: string): void {
  useWorksheets.setState({ activeId: id });
  keepOpenTabs();
}

export function closeWorksheet(id: string): void {
  const { open, activeId } = useWorksheets.getState();
  const at = open.findIndex((one) => one.id === id);
  const rest = open.filter((one) => one.id !== id);
  const neighbour = rest[Math.min(at, rest.length - 1)];
  useWorksheets.setState({
    open: rest,
    activeId: activeId === id ? (neighbour?.id ?? null) : activeId,
  });
  if (rest.length === 0) addWorksheet({});
  keepOpenTabs();
}

/** Also from this browser: what was not on the server is gone then. */
export function forget(id: string): void {
  const { user } = useWorksheets.getState();
  if (user !== null) forgetWorksheet(user, id);
  putRun(id, null);
}

export function moveTab(id: string, to: number): void {
  const { open } = useWorksheets.getState();
  const moved = open.find((one) => one.id === id);
  if (!moved) return;
  const rest = open.filter((one) => one.id !== id);
  useWorksheets.setState({ open: [...rest.slice(0, to), moved, ...rest.slice(to)] });
  keepOpenTabs();
}

export function changeWorksheet(id: string, changes: Partial<Worksheet>): void {
  useWorksheets.setState(({ open }) => ({
    open: open.map((one) => (one.id === id ? { ...one, ...changes } : one)),
  }));
  keepLocally(id);
}

export function changeContext(id: string, changes: StatementContext): void {
  const worksheet = worksheetOf(id);
  if (worksheet === null) return;
  changeWorksheet(id, { context: { ...worksheet.context, ...changes } });
}

/** Writing the same worksheet to the browser's storage many times in a moment would be felt. */
const due = new Set<string>();

export function keepLocally(id: string): void {
  if (due.has(id)) return;
  due.add(id);
  setTimeout(() => writeLocally(id), 100);
}

function writeLocally(id: string): void {
  if (!due.delete(id)) return;
  const { user } = useWorksheets.getState();
  const worksheet = worksheetOf(id);
  if (user !== null && worksheet !== null) keepWorksheet(user, worksheet, runOf(id));
}

/** A run that is under way can be followed after a reload, by its handles. Returns how to stop. */
export function keepRuns(): () => void {
  return useRuns.subscribe(({ runs }, before) => {
    for (const [id, run] of Object.entries(runs)) {
      const old = before.runs[id];
      // How far it is changes often, and is of the moment.
      if (run !== old && run.progress === (old?.progress ?? null)) keepLocally(id);
    }
  });
}

export function writeAllLocally(): void {
  for (const id of [...due]) writeLocally(id);
}

function keepOpenTabs(): void {
  const { user, open, activeId } = useWorksheets.getState();
  if (user !== null) keepTabs(user, { ids: open.map(({ id }) => id), active: activeId });
}
