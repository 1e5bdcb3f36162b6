import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { address, expect, measured, test } from './console';
import { cell, grid, head, run } from './worksheet';

const TABLES = 10_000;

/**
 * Answers the console's statements about tables as a server with 10,000 of them would: making that
 * many takes minutes, and what is tested is the page.
 */
async function pretendManyTables(page: Page): Promise<void> {
  const names = Array.from({ length: TABLES }, (_, index) => `MANY_${index + 1}`);
  await page.route(
    (url) => url.pathname === '/api/v2/statements',
    async (route) => {
      const statement = String(route.request().postDataJSON()?.statement ?? '');
      const isNames = /^SELECT DISTINCT TABLE_NAME AS NAME FROM DEMO\./.test(statement);
      const isColumns = /^SELECT TABLE_SCHEMA, .* FROM DEMO\.INFORMATION_SCHEMA\.COLUMNS/.test(
        statement,
      );
      if (!isNames && !isColumns) return route.continue();
      const response = await route.fetch();
      const body = await response.json();
      const rows = isNames
        ? names.map((name) => [name])
        : names.flatMap((name) =>
            ['ID', 'NAME', 'AMOUNT'].map((column) => ['PUBLIC', name, column, 'NUMBER', null]),
          );
      body.data = [...body.data, ...rows];
      await route.fulfill({ response, json: body });
    },
  );
}

test('a schema of 10,000 tables opens and is searched at once', async ({ console: page }) => {
  await pretendManyTables(page);
  await page.goto(address('/data'));
  const data = page.getByRole('treegrid', { name: /^Databases/ });
  const startedMs = Date.now();
  for (const name of ['DEMO', 'PUBLIC', 'Tables']) {
    await data
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .first()
      .click();
  }
  await expect(data.getByRole('row', { name: 'CUSTOMERS', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find objects' }).fill('many_9999');
  await expect(data.getByRole('row', { name: 'MANY_9999', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find objects' }).fill('');
  expect(await data.getByRole('row').count()).toBeLessThan(120);
  const openedMs = Date.now() - startedMs;

  await page.goto(address('/worksheets'));
  const tree = page.getByRole('treegrid', { name: 'Databases, schemas, tables and columns' });
  await tree.getByRole('row', { name: 'DEMO', exact: true }).click();
  await clickBelow(tree, 'DEMO', 'PUBLIC');
  await expect(tree.getByRole('row', { name: 'CUSTOMERS', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find tables and columns' }).fill('many_9999');
  await expect(tree.getByRole('row', { name: 'MANY_9999', exact: true })).toBeVisible();
  expect(await tree.getByRole('row').count()).toBeLessThan(120);
  measured(`10,000 tables: opened and searched in ${openedMs} ms`);
});

/** Clicks a schema of a database, once it is there: other databases have schemas of the same name. */
async function clickBelow(tree: Locator, database: string, schema: string): Promise<void> {
  const rows = tree.getByRole('row');
  const placeOf = () =>
    rows.evaluateAll(
      (all, [parent, child]) => {
        const levels = all.map((row) => Number(row.getAttribute('aria-level')));
        const named = (row: Element, name: string) => row.textContent?.trim().startsWith(name);
        const from = all.findIndex((row, place) => levels[place] === 1 && named(row, parent));
        const end = levels.findIndex((level, place) => place > from && level === 1);
        return all.findIndex(
          (row, place) =>
            place > from && (end < 0 || place < end) && levels[place] === 2 && named(row, child),
        );
      },
      [database, schema] as const,
    );
  await expect.poll(placeOf).toBeGreaterThan(0);
  await rows.nth(await placeOf()).click();
}

/** Memory of the page's process, workers and buffers included. */
async function residentBytes(page: Page): Promise<number> {
  const browser = page.context().browser();
  const session = await browser?.newBrowserCDPSession();
  const found = await session?.send('SystemInfo.getProcessInfo');
  const sizes = (found?.processInfo ?? [])
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]),
    );
  return Math.max(...sizes) * 1024;
}

const ROWS = 5_000_000;

test('5 million rows are scrolled from end to end with bounded memory', async ({
  console: page,
}) => {
  test.skip(process.platform !== 'linux', 'memory is read from /proc');
  await run(
    page,
    `SELECT SEQ8() AS n, n * 2 AS twice, 'row ' || n AS words FROM TABLE(GENERATOR(ROWCOUNT => ${ROWS}))`,
  );
  await expect(head(page)).toContainText('5,000,000 rows');
  await expect(cell(page, 1, 1)).toBeVisible();
  const heap = await page.context().newCDPSession(page);
  await heap.send('HeapProfiler.collectGarbage');
  const before = await residentBytes(page);
  let most = 0;
  const STEPS = 60;
  for (let step = 1; step <= STEPS; step += 1) {
    await grid(page).evaluate(
      (element, part) => element.scrollTo(0, (element.scrollHeight - element.clientHeight) * part),
      step / STEPS,
    );
    // Every stop has its rows, not the grey cells of what is still fetched.
    await expect(grid(page).locator('.firn-grid-skeleton')).toHaveCount(0);
    await expect(page.locator('.firn-grid-position')).toContainText('of 5,000,000');
    most = Math.max(most, await residentBytes(page));
  }
  await grid(page).focus();
  await page.keyboard.press('Control+End');
  await expect(page.locator('.firn-grid-position')).toContainText('5,000,000 of 5,000,000');
  await expect(cell(page, ROWS, 3)).toHaveText(/^row \d+$/);
  expect(await grid(page).locator('[role=row]').count()).toBeLessThan(200);
  const grownMb = Math.round((most - before) / 1e6);
  measured(`5 million rows: ${Math.round(before / 1e6)} MB at first, ${grownMb} MB more at most`);
  expect(grownMb).toBeLessThan(400);
});
