import { send } from './http';
import { type StagePlace, stageFilesAddress } from './stagePlace';

export { OWN_STAGE, type StagePlace, stageFilesAddress } from './stagePlace';

export interface StageFile {
  /** As LIST shows it. */
  name: string;
  /** Where it lies on the stage. */
  path: string;
  size: number;
  md5: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
}

export interface StoredFile {
  text: string;
  etag: string;
}

/** What a file must be for it to be written: the version that was read, not there yet, or anything. */
export type WriteCondition = { matches: string } | 'absent' | 'any';

export type WriteOutcome = { kind: 'written'; etag: string } | { kind: 'conflict' };

function roleHeader(place: StagePlace): Record<string, string> {
  return place.role ? { 'X-Service-Role': place.role } : {};
}

export async function listFiles(
  place: StagePlace,
  prefix = '',
  signal?: AbortSignal,
): Promise<StageFile[]> {
  const found: StageFile[] = [];
  let after: string | undefined;
  do {
    const query = new URLSearchParams({ prefix, limit: '10000', ...(after ? { after } : {}) });
    const response = await send(`${stageFilesAddress(place)}?${query}`, {
      headers: roleHeader(place),
      signal,
    });
    const page = (await response.json()) as { files: StageFile[]; next?: string };
    found.push(...page.files);
    after = page.next;
  } while (after !== undefined);
  return found;
}

export async function readFile(
  place: StagePlace,
  path: string,
  signal?: AbortSignal,
): Promise<StoredFile | null> {
  const headers = { Accept: '*/*', ...roleHeader(place) };
  const response = await send(stageFilesAddress(place, path), { headers, accept: [404], signal });
  if (response.status === 404) return null;
  return { text: await response.text(), etag: response.headers.get('ETag') ?? '' };
}

export async function readFileBytes(
  place: StagePlace,
  path: string,
  signal?: AbortSignal,
): Promise<Blob> {
  const headers = { Accept: '*/*', ...roleHeader(place) };
  return (await send(stageFilesAddress(place, path), { headers, signal })).blob();
}

export async function writeFile(
  place: StagePlace,
  path: string,
  content: string | Blob,
  condition: WriteCondition,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const guard: Record<string, string> =
    condition === 'any'
      ? {}
      : condition === 'absent'
        ? { 'If-None-Match': '*' }
        : { 'If-Match': condition.matches };
  const response = await send(stageFilesAddress(place, path), {
    method: 'PUT',
    headers: { ...roleHeader(place), ...guard, 'Content-Type': 'application/octet-stream' },
    body: content,
    accept: [412],
    signal,
  });
  if (response.status === 412) return { kind: 'conflict' };
  const { md5 } = (await response.json()) as StageFile;
  return { kind: 'written', etag: `"${md5}"` };
}

/**
 * Removes a file; one that is gone already is no failure. With an ETag only that version: returns
 * false if the file is another one by now.
 */
export async function removeFile(place: StagePlace, path: string, etag?: string): Promise<boolean> {
  const guard: Record<string, string> = etag === undefined ? {} : { 'If-Match': etag };
  const { status } = await send(stageFilesAddress(place, path), {
    method: 'DELETE',
    headers: { ...roleHeader(place), ...guard },
    keepalive: true,
    accept: [404, 412],
  });
  return status !== 412;
}
