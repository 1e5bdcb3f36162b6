import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** Signs out with a token, and returns what the server is asked meanwhile. */
async function signedOut(token: string): Promise<string[]> {
  vi.resetModules();
  const kept = new Map([['firn.token', token]]);
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
  });
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return new Response(null, { status: 204 });
  });
  const { logOut } = await import('./login');
  await logOut();
  expect(kept.has('firn.token')).toBe(false);
  return asked;
}

it('signing out ends the session of a password, and no access token', async () => {
  expect(await signedOut('firn_session_abc')).toEqual(['/api/v2/logout']);
  expect(await signedOut('firn_pat_abc')).toEqual([]);
  expect(await signedOut('chosen-by-the-administrator')).toEqual([]);
});
