import { sendJson } from './http';

export type DownloadFormat = 'csv' | 'jsonl' | 'parquet';

/**
 * Hands the whole result to the browser's downloads, streamed by the server. A click cannot send a
 * token, so the server gives an address that is good for a minute. The name is without its ending.
 */
export async function downloadResult(
  handle: string,
  format: DownloadFormat,
  name: string,
): Promise<void> {
  const path = `/api/v2/statements/${encodeURIComponent(handle)}/download-link`;
  const { url } = (await (await sendJson(path, {})).json()) as { url: string };
  const address = new URL(url, location.origin);
  if (address.origin !== location.origin) throw new Error('The link leads to another server.');
  address.searchParams.set('format', format);
  address.searchParams.set('name', name);
  const link = document.createElement('a');
  link.href = address.href;
  link.download = '';
  link.click();
}
