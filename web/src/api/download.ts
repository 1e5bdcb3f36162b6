import { sendJson } from './http';

export type DownloadFormat = 'csv' | 'jsonl';

/**
 * Hands the whole result to the browser's downloads, streamed by the server. A click cannot send a
 * token, so the server gives an address that is good for a minute.
 */
export async function downloadResult(handle: string, format: DownloadFormat): Promise<void> {
  const path = `/api/v2/statements/${encodeURIComponent(handle)}/download-link`;
  const { url } = (await (await sendJson(path, {})).json()) as { url: string };
  const address = new URL(url, location.origin);
  if (address.origin !== location.origin) throw new Error('The link leads to another server.');
  address.searchParams.set('format', format);
  const link = document.createElement('a');
  link.href = address.href;
  link.download = '';
  link.click();
}
