// What survives a reload without the server: the texts at once, which worksheets are open, and the
// handles of results. Never a token. Every user of the browser has an own place.
import type { StatementContext } from '../api/statements';
import type { Run } from './run/run';
import type { Stored, Worksheet } from './worksheet';

export interface LocalWorksheet {
  id: string;
  name: string;
  text: string;
  context: StatementContext;
  stored: Stored | null;
  run: Run | null;
}

interface OpenTabs {
  ids: string[];
  active: string | null;
}

const tabsKey = (user: string) => `firn.tabs.${user}`;
const worksheetKey = (user: string, id: string) => `firn.worksheet.${user}.${id}`;

export function keepTabs(user: string, tabs: OpenTabs): void {
  const text = JSON.stringify(tabs);
  // A window has its own tabs; a new one begins with those that were opened last.
  sessionStorage.setItem(tabsKey(user), text);
  keep(tabsKey(user), text);
}

export function keptTabs(user: string): OpenTabs {
  const text = sessionStorage.getItem(tabsKey(user)) ?? localStorage.getItem(tabsKey(user));
  const tabs = parsed<OpenTabs>(text);
  return { ids: tabs?.ids ?? [], active: tabs?.active ?? null };
}

export function keepWorksheet(user: string, worksheet: Worksheet, run: Run | null): void {
  const { id, name, text, context, stored } = worksheet;
  const kept: LocalWorksheet = { id, name, text, context, stored, run };
  keep(worksheetKey(user, id), JSON.stringify(kept));
}

export function keptWorksheet(user: string, id: string): LocalWorksheet | null {
  return parsed<LocalWorksheet>(localStorage.getItem(worksheetKey(user, id)));
}

export function forgetWorksheet(user: string, id: string): void {
  localStorage.removeItem(worksheetKey(user, id));
}

function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The browser's storage is full; the server's copy remains.
  }
}

function parsed<Value>(text: string | null): Value | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Value;
  } catch {
    return null;
  }
}
