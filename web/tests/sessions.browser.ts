import type { Page } from '@playwright/test';
import { expect, sessionAddress, test, unique } from './console';
import { TOKEN } from './server';
import { cell, head, result, run, runHere, write } from './worksheet';

const headers = { Authorization: `Bearer ${TOKEN}` };

/** The sessions that the page's worksheets have. */
async function sessionsOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Object.entries(sessionStorage)
      .filter(([key]) => key.startsWith('firn.session.'))
      .map(([, text]) => JSON.parse(text).id as string),
  );
}

async function statusOf(session: string, method = 'GET'): Promise<number> {
  return (await fetch(sessionAddress(session), { method, headers })).status;
}

async function runs(page: Page, text: string, value: string): Promise<void> {
  await run(page, text);
  await expect(cell(page, 1, 1)).toHaveText(value);
}

test('variables and temporary tables survive between runs of one worksheet, and a reload', async ({
  console: page,
}) => {
  const name = unique('KEPT');
  await run(page, 'SET region = 3');
  await runs(page, 'SELECT $region + 1', '4');
  await run(page, `CREATE TEMPORARY TABLE ${name} (a NUMBER); INSERT INTO ${name} VALUES (42);`);
  await runs(page, `SELECT a FROM ${name}`, '42');
  await run(page, "ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'");
  await runs(page, "SELECT TO_VARCHAR(CURRENT_TIMESTAMP(), 'TZHTZM')", '+0900');
  await page.reload();
  await runs(page, `SELECT a + $region FROM ${name}`, '45');
  expect(await sessionsOf(page)).toHaveLength(1);

  await page.getByRole('button', { name: 'New worksheet' }).click();
  await write(page, `SELECT a FROM ${name}`);
  await runHere(page);
  await expect(head(page)).toContainText('failed');
  await expect(result(page)).toContainText(name);
  await write(page, 'SELECT $region');
  await runHere(page);
  await expect(result(page)).toContainText(/region/i);
  await expect(head(page)).toContainText('failed');
});

test('a session ends with its worksheet, and all of them with signing out', async ({
  console: page,
}) => {
  await run(page, 'SET a = 1');
  await page.getByRole('button', { name: 'New worksheet' }).click();
  await run(page, 'SET b = 1');
  const both = await sessionsOf(page);
  expect(both).toHaveLength(2);
  await page
    .getByRole('button', { name: /^Close Untitled/ })
    .last()
    .click();
  await expect.poll(() => sessionsOf(page)).toHaveLength(1);
  const [left] = await sessionsOf(page);
  const closed = both.find((one) => one !== left) ?? '';
  await expect.poll(() => statusOf(closed)).toBe(422);
  expect(await statusOf(left ?? '')).toBe(200);
  await page.getByRole('button', { name: /^User / }).click();
  await page.getByRole('menuitem', { name: /Sign out/ }).click();
  await expect(page.getByLabel('Token', { exact: true })).toBeVisible();
  expect(await statusOf(left ?? '')).toBe(422);
});

test('where the session has ended, the next run works and says so', async ({ console: page }) => {
  await run(page, 'SET a = 1');
  const [session] = await sessionsOf(page);
  expect(await statusOf(session ?? '', 'DELETE')).toBe(204);
  await runs(page, 'SELECT 5', '5');
  await expect(result(page)).toContainText('the session had ended');
  await runs(page, 'SELECT 6', '6');
  await expect(result(page)).not.toContainText('the session had ended');
});

for (const status of [404, 429]) {
  test(`where no session can be had (${status}), what is run works without and says so`, async ({
    console: page,
  }) => {
    await page.route('**/api/v2/sessions', (route) => route.fulfill({ status, json: {} }));
    await runs(page, 'SELECT 5', '5');
    await expect(result(page)).toContainText('variables and temporary tables');
    await run(page, 'USE SCHEMA SNOWFLAKE.INFORMATION_SCHEMA');
    await runs(page, 'SELECT CURRENT_SCHEMA()', 'INFORMATION_SCHEMA');
  });
}

test('an earlier statement that still runs is said, and cancelled', async ({ console: page }) => {
  await run(page, 'SET a = 1');
  await page.route(
    '**/api/v2/statements?*async=true*',
    async (route) => {
      // The server has it, the page never learns its handle.
      await route.fetch();
    },
    { times: 1 },
  );
  await write(
    page,
    'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a\n' +
      `CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1 AND '${unique('X')}' <> ''`,
  );
  const [session] = await sessionsOf(page);
  await runHere(page);
  const stateOf = async () =>
    (await (await fetch(sessionAddress(session ?? ''), { headers })).json()).state;
  await expect.poll(stateOf).toBe('busy');
  await page.keyboard.press('Control+.');
  await expect(head(page)).toContainText('cancelled');
  await write(page, 'SELECT 7');
  await runHere(page);
  await expect(result(page)).toContainText('still runs');
  await result(page).getByRole('button', { name: 'Cancel it' }).click();
  await expect.poll(stateOf).toBe('idle');
  await runHere(page);
  await expect(cell(page, 1, 1)).toHaveText('7');
});

test('after a statement was cancelled, the next one runs', async ({ console: page }) => {
  // Its result is kept, so that it tells nothing of the session.
  await run(page, 'SELECT 1');
  await write(
    page,
    'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a\n' +
      'CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1',
  );
  await runHere(page);
  await expect(page.getByRole('button', { name: /^Cancel · [1-9]\d*\.\d s/ })).toBeVisible();
  await page.keyboard.press('Control+.');
  await expect(head(page)).toContainText('cancelled');
  await runs(page, `SELECT 7 AS ${unique('SEVEN')}`, '7');
  await run(page, 'SET a = 8');
  await runs(page, 'SELECT $a', '8');
});

test('a database that is used shows its own schema, and parameters of the profile do not stay', async ({
  console: page,
}) => {
  const tree = page.getByRole('treegrid', { name: 'Databases, schemas, tables and columns' });
  await expect(tree.getByRole('row', { name: 'DEMO', exact: true })).toBeVisible();
  await run(page, 'USE DATABASE SNOWFLAKE');
  const picker = page.getByRole('button', { name: /^Database and schema:/ });
  await expect(picker).toContainText('SNOWFLAKE');
  await run(page, 'USE DATABASE DEMO');
  await expect(picker).toContainText('DEMO.PUBLIC');
  await runs(page, 'SELECT CURRENT_SCHEMA()', 'PUBLIC');
  await result(page).getByRole('button', { name: 'Profile' }).click();
  await run(page, 'SELECT CURRENT_SCHEMA()');
  await result(page).getByRole('button', { name: 'Table' }).click();
  await runs(page, 'SELECT 8', '8');
  await run(page, "SHOW PARAMETERS LIKE 'PROFILE'");
  await expect(cell(page, 1, 2)).toHaveText('false');
});
