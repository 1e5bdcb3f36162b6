// Names of files that are handed to the browser's downloads.

/** The server cuts longer names, and the time stands at their end. */
const BYTES_MAX = 120;

/** `Monthly sums 2026-11-19 1030`: what it is of and when that was, without the signs that file systems forbid. */
export function datedFileName(name: string, atMs: number): string {
  const at = new Date(atMs);
  const day = at.toLocaleDateString('en-CA');
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const plain = name
    .replaceAll(/[/\\:*?"<>|\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return `${shortened(plain) || 'result'} ${day} ${time.replace(':', '')}`;
}

function shortened(name: string): string {
  const encoder = new TextEncoder();
  let short = '';
  let bytes = 0;
  for (const sign of name) {
    bytes += encoder.encode(sign).length;
    if (bytes > BYTES_MAX) break;
    short += sign;
  }
  return short.trim();
}
