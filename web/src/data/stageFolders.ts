// A stage has files with paths; folders are what stands before a slash.
import type { StageFile } from '../api/stageFiles';

export interface StageEntry {
  /** Of the file or the folder, without what stands before. */
  name: string;
  path: string;
  /** Null for a folder. */
  file: StageFile | null;
  size: number;
  /** The newest of a folder. */
  lastModified: number;
  count: number;
}

/** What lies directly in a folder ("" or "a/b/"), folders first. */
export function entriesOf(files: readonly StageFile[], folder: string): StageEntry[] {
  const folders = new Map<string, StageEntry>();
  const entries: StageEntry[] = [];
  for (const file of files) {
    if (!file.path.startsWith(folder)) continue;
    const rest = file.path.slice(folder.length);
    const slash = rest.indexOf('/');
    if (slash === -1) {
      const { path, size, lastModified } = file;
      entries.push({ name: rest, path, file, size, lastModified, count: 1 });
      continue;
    }
    const name = rest.slice(0, slash);
    const known = folders.get(name);
    if (known) {
      known.size += file.size;
      known.count += 1;
      known.lastModified = Math.max(known.lastModified, file.lastModified);
    } else {
      folders.set(name, {
        name,
        path: `${folder}${name}/`,
        file: null,
        size: file.size,
        lastModified: file.lastModified,
        count: 1,
      });
    }
  }
  return [...folders.values(), ...entries];
}

/** "a/b/" as its folders from the top: ["a/", "a/b/"]. */
export function foldersAbove(folder: string): string[] {
  const parts = folder.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}

export function shownBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = -1;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
