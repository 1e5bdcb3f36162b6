import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TOKEN = 'firn_pat_browser_0123456789abcdef';

/** Starts the server that all tests share, and returns what ends it. With FIRN_TEST_URL, one that runs is used. */
export default async function start(): Promise<() => void> {
  if (process.env.FIRN_TEST_URL) return () => undefined;
  const binary = process.env.FIRN_BINARY ?? join(import.meta.dirname, '../../target/release/firn');
  const folder = mkdtempSync(join(tmpdir(), 'firn-browser-'));
  const server = spawn(
    binary,
    ['serve', '--demo', '--listen', '127.0.0.1:0', '--data-dir', folder],
    {
      env: { PATH: process.env.PATH, FIRN_ADMIN_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  const url = await new Promise<string>((found, failed) => {
    const read = (piece: Buffer) => {
      output += piece;
      const line = /listening on (\S+)/.exec(output);
      if (line) found(line[1] as string);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', () => failed(new Error(`the server did not start:\n${output}`)));
    server.on('error', failed);
  });
  process.env.FIRN_TEST_URL = url;
  return () => {
    server.removeAllListeners('exit');
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
}
