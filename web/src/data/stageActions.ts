import { runQuery, sqlPath, sqlText } from '../api/query';
import { readFileBytes, type StageFile, type StagePlace, writeFile } from '../api/stageFiles';
import { saveFile } from '../components/saveFile';

/** Brings files into a folder. Returns those that were there before and are left alone. */
export async function uploadStaged(
  place: StagePlace,
  folder: string,
  files: readonly File[],
  overwrite: boolean,
): Promise<File[]> {
  const kept: File[] = [];
  for (const file of files) {
    const condition = overwrite ? 'any' : 'absent';
    const outcome = await writeFile(place, folder + file.name, file, condition);
    if (outcome.kind === 'conflict') kept.push(file);
  }
  return kept;
}

/** Larger files than this do not go through the page's memory where the server makes a link. */
const IN_MEMORY_MAX = 64_000_000;

export async function downloadStaged(place: StagePlace, file: StageFile): Promise<void> {
  const name = file.path.split('/').at(-1) ?? file.path;
  if (file.size <= IN_MEMORY_MAX || 'isOwn' in place || place.isOfTable) {
    saveFile(name, await readFileBytes(place, file.path));
    return;
  }
  const stage = sqlPath(place.database, place.schema, place.stage);
  const { rows } = await runQuery(
    `SELECT GET_PRESIGNED_URL(@${stage}, ${sqlText(file.path)}, 300)`,
    { role: place.role ?? null, database: place.database, schema: place.schema },
  );
  const address = new URL(rows[0]?.[0] ?? '', location.origin);
  if (address.origin !== location.origin) throw new Error('The link leads to another server.');
  const link = document.createElement('a');
  link.href = address.href;
  link.download = name;
  link.click();
}
