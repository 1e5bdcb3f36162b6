// Worksheets as files `@~/worksheets/NAME.sql` on the user's own stage.
import { useIdentity } from '../api/identity';
import { runObjects } from '../api/query';
import {
  listFiles,
  readFile,
  removeFile,
  type StagePlace,
  type WriteCondition,
  writeFile,
} from '../api/stageFiles';
import type { Stored } from './worksheet';

const FOLDER = 'worksheets/';
const ENDING = '.sql';

let knownPlace: { user: string; place: StagePlace } | null = null;

/** A user's own stage is asked for in any schema that the user sees. */
export async function ownStage(): Promise<StagePlace> {
  const identity = useIdentity.getState().identity;
  const user = identity?.user ?? '';
  if (knownPlace?.user === user) return knownPlace.place;
  let database = identity?.database ?? null;
  let schema = identity?.schema ?? null;
  if (database === null || schema === null) {
    const [first] = await runObjects('SHOW TERSE SCHEMAS IN ACCOUNT LIMIT 1');
    database = first?.database_name ?? null;
    schema = first?.name ?? null;
  }
  if (database === null || schema === null) {
    throw new Error('Kept in this browser only: your role sees no schema.');
  }
  const place = { database, schema, stage: '~' };
  knownPlace = { user, place };
  return place;
}

function pathOf(name: string): string {
  return `${FOLDER}${name}${ENDING}`;
}

export interface StoredName {
  name: string;
  changedMs: number;
}

export async function listStored(signal?: AbortSignal): Promise<StoredName[]> {
  const files = await listFiles(await ownStage(), FOLDER, signal);
  return files
    .filter(({ path }) => path.endsWith(ENDING))
    .map(({ path, lastModified }) => ({
      name: path.slice(FOLDER.length, -ENDING.length),
      changedMs: lastModified,
    }))
    .sort((one, other) => other.changedMs - one.changedMs);
}

export async function readStored(name: string): Promise<Stored | null> {
  const file = await readFile(await ownStage(), pathOf(name));
  return file && { name, content: file.text, etag: file.etag };
}

/** Null: somebody else has written it meanwhile. */
export async function writeStored(
  name: string,
  content: string,
  condition: WriteCondition,
): Promise<Stored | null> {
  const outcome = await writeFile(await ownStage(), pathOf(name), content, condition);
  return outcome.kind === 'conflict' ? null : { name, content, etag: outcome.etag };
}

export async function removeStored(name: string): Promise<void> {
  await removeFile(await ownStage(), pathOf(name));
}
