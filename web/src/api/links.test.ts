import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const KEY = 'firn.token';
let kept: Map<string, string>;
let reload: () => void;

beforeEach(() => {
  vi.resetModules();
  kept = new Map();
  reload = vi.fn();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal('window', { addEventListener: () => undefined });
});

afterEach(() => vi.unstubAllGlobals());

/** Opens the page with a link, before a server that takes one token. */
async function open(token: string) {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { hash: `#token=${token}`, pathname: '/', search: '', reload });
  vi.stubGlobal('history', { replaceState });
  const ask = vi.fn(async (_: string, { headers }: { headers: Record<string, string> }) => {
    // As the browser does with characters that no header takes.
    new Headers(headers);
    const isGood = headers.Authorization === 'Bearer good';
    return new Response('{}', { status: isGood ? 200 : 401 });
  });
  vi.stubGlobal('fetch', ask);
  const links = await import('./links');
  await links.followLinks();
  const { useSession } = await import('./session');
  expect(replaceState).toHaveBeenCalledWith(null, '', '/');
  return { state: useSession.getState(), links };
}

it('a good token signs in and is kept', async () => {
  kept.set(KEY, 'another');
  const { state } = await open('good');
  expect(state).toEqual({ token: 'good', notice: null, isFollowing: false });
  expect(kept.get(KEY)).toBe('good');
  expect(reload).not.toHaveBeenCalled();
});

it.each(['WRONG', 'żółw', '日本'])('%s is refused, and what was before stays', async (token) => {
  const notice = 'The server does not take this token.';
  expect((await open(token)).state).toMatchObject({ token: null, notice });
  expect(kept.has(KEY)).toBe(false);
  vi.resetModules();
  kept.set(KEY, 'before');
  expect((await open(token)).state).toMatchObject({ token: 'before', notice });
  expect(kept.get(KEY)).toBe('before');
});

it('a link that is opened in a page of another user loads it again', async () => {
  kept.set(KEY, 'before');
  const { links } = await open('WRONG');
  expect(reload).not.toHaveBeenCalled();
  location.hash = '#token=good';
  await links.followLink();
  expect(reload).toHaveBeenCalled();
  expect(kept.get(KEY)).toBe('good');
});
