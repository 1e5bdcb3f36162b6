// Worksheets as files `@~/worksheets/NAME.sql` on the user's own stage.
import {
  listFiles,
  OWN_STAGE,
  readFile,
  removeFile,
  type WriteCondition,
  writeFile,
} from '../api/stageFiles';
import type { Stored } from './worksheet';

const FOLDER = 'worksheets/';
const ENDING = '.sql';

function pathOf(name: string): string {
  return `${FOLDER}${name}${ENDING}`;
}

export interface StoredName {
  name: string;
  changedMs: number;
}

export async function listStored(signal?: AbortSignal): Promise<StoredName[]> {
  const files = await listFiles(OWN_STAGE, FOLDER, signal);
  return files
    .filter(({ path }) => path.endsWith(ENDING))
    .map(({ path, lastModified }) => ({
      name: path.slice(FOLDER.length, -ENDING.length),
      changedMs: lastModified,
    }))
    .sort((one, other) => other.changedMs - one.changedMs);
}

export async function readStored(name: string): Promise<Stored | null> {
  const file = await readFile(OWN_STAGE, pathOf(name));
  return file && { name, content: file.text, etag: file.etag };
}

/** Null: somebody else has written it meanwhile. */
export async function writeStored(
  name: string,
  content: string,
  condition: WriteCondition,
): Promise<Stored | null> {
  const outcome = await writeFile(OWN_STAGE, pathOf(name), content, condition);
  return outcome.kind === 'conflict' ? null : { name, content, etag: outcome.etag };
}

export async function removeStored(name: string): Promise<void> {
  await removeFile(OWN_STAGE, pathOf(name));
}
