import { gzipSync } from 'node:zlib';
import { address, expect, measured, test } from './console';
import { TOKEN } from './server';
import { editor } from './worksheet';

test('the first load is under 400 kB, all of it packed and from the server itself', async ({
  guest: page,
}) => {
  const sizes: Promise<[string, number]>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/api/')) return;
    // As gzip, whether the server of this run packs or not.
    sizes.push(response.body().then((body) => [pathname, gzipSync(body).length]));
  });
  await page.goto(address(`/#token=${TOKEN}`));
  await expect(editor(page)).toBeVisible();
  await page.waitForLoadState('networkidle');
  const loaded = await Promise.all(sizes);
  const total = loaded.reduce((sum, [, size]) => sum + size, 0);
  measured(`first load: ${Math.round(total / 1000)} kB gzip in ${loaded.length} files`);
  expect(loaded.length).toBeGreaterThan(2);
  expect(total).toBeLessThan(400_000);
});

test('the first paint is there within a second', async ({ browser }) => {
  const paints: number[] = [];
  // The quickest of some: other tests run beside this one.
  for (let load = 0; load < 4; load += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address('/'));
    await expect(page.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      ),
    );
    await context.close();
  }
  measured(`first paint: ${paints.map((ms) => Math.round(ms)).join(', ')} ms`);
  expect(Math.min(...paints)).toBeLessThan(1000);
});
