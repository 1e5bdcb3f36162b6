import type { Page } from '@playwright/test';
import {
  address,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  showIn,
  sql,
  test,
  unique,
} from './console';
import { choose } from './forms';
import { editor, run, write } from './worksheet';

const PAGES = ['Worksheets', 'Analyst', 'Data', 'History', 'Admin'] as const;

async function goTo(page: Page, name: (typeof PAGES)[number]): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  await link.click();
  await expect(link).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('main')).not.toBeEmpty();
}

for (const theme of ['light', 'dark'] as const) {
  test(`every page is clean for axe in the ${theme} theme`, async ({ console: page }) => {
    await showIn(page, theme);
    for (const name of PAGES) {
      await test.step(name, async () => {
        await goTo(page, name);
        await expect(page.locator('.waiting')).toHaveCount(0);
        await expectAccessible(page);
      });
    }
    await goTo(page, 'Worksheets');
    await run(page, "SELECT 1 AS a, 'text' AS b, NULL AS c");
    await expectAccessible(page);
    await write(page, 'SELECT no_such_column');
    await editor(page).press('Control+Enter');
    await expect(page.locator('.result-head')).toContainText('failed');
    await expectAccessible(page);
  });
}

test('on a phone nothing but grid and editor scrolls sideways', async ({ console: page }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  for (const name of PAGES) {
    await test.step(name, async () => {
      await goTo(page, name);
      await expect(page.locator('.waiting')).toHaveCount(0);
      await expectNoSidewaysScrolling(page);
    });
  }
  await goTo(page, 'Worksheets');
  await run(page, 'SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f, 7 AS g, 8 AS h');
  await expectNoSidewaysScrolling(page);
});

test('the theme is chosen and kept', async ({ console: page }) => {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).color);
  const light = await colour();
  await page.getByRole('button', { name: 'Colours' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await expect.poll(colour).not.toBe(light);
  const dark = await colour();
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  expect(await colour()).toBe(dark);
});

test('data: the tree leads to a table, its columns, rows, DDL, grants and lineage', async ({
  console: page,
}) => {
  await page.goto(address('/data?kind=table&database=DEMO&schema=PUBLIC&name=ORDERS'));
  await expect(page.getByRole('heading', { name: 'ORDERS' })).toBeVisible();
  const object = page.getByRole('region', { name: 'Object' });
  await expect(object).toContainText('TOTAL_AMOUNT');
  await object.getByRole('tab', { name: 'Sample' }).click();
  await expect(object.getByRole('grid')).toHaveAttribute('aria-rowcount', '101');
  await object.getByRole('tab', { name: 'DDL' }).click();
  await expect(object).toContainText(/create or replace TABLE/i);
  for (const name of ['Grants', 'Lineage', 'Files']) {
    await object.getByRole('tab', { name, exact: true }).click();
    await expect(object.getByRole('tab', { name, exact: true })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await expect(page.locator('.waiting')).toHaveCount(0);
  }
  await object.getByRole('button', { name: 'Query' }).click();
  await expect(editor(page)).toContainText('ORDERS');
});

test('data: a file becomes a table', async ({ console: page }) => {
  const name = unique('BROUGHT');
  await page.goto(address('/data'));
  await page.getByLabel('File to make a table of').setInputFiles({
    name: `${name}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from('id,city,price\n1,Bern,1.50\n2,Basel,22.75\n'),
  });
  const dialog = page.getByRole('dialog', { name: 'Table from a file' });
  await expect(dialog).toContainText('CREATE TABLE');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  const found = await sql(`SHOW TABLES LIKE '${name}' IN ACCOUNT`);
  expect(found).toHaveLength(1);
});

test('history: a statement is found, opened and run again', async ({ console: page }) => {
  const mark = unique('MARK');
  await run(page, `SELECT '${mark}' AS mark`);
  await page.goto(address('/history'));
  await page.getByRole('searchbox', { name: 'Find by text or query id' }).fill(mark);
  const rows = page.getByRole('grid', { name: /^Statements/ });
  await rows.getByText(mark).first().click();
  const panel = page.getByRole('region', { name: 'Statement', exact: true });
  await expect(panel).toContainText(mark);
  await expectAccessible(page);
  await panel.getByRole('button', { name: /^Run again/ }).click();
  await expect(editor(page)).toContainText(mark);
});

test('history: states, users and times are found by the server', async ({ console: page }) => {
  const mark = unique('MARK');
  await sql(`SELECT '${mark} well'`);
  await expect(sql(`SELECT '${mark} badly' FROM NOWHERE_AT_ALL`)).rejects.toThrow();
  await page.goto(address('/history'));
  await page.getByRole('searchbox', { name: 'Find by text or query id' }).fill(mark.toLowerCase());
  const rows = page.getByRole('grid', { name: /^Statements/ });
  const filters = page.getByRole('search');
  await expect(rows.getByText(mark)).toHaveCount(2);
  await choose(filters, 'State', 'Failed');
  await expect(rows.getByText(`${mark} badly`)).toBeVisible();
  await expect(rows.getByText(mark)).toHaveCount(1);
  await choose(filters, 'State', 'Cancelled');
  await expect(rows.getByText(mark)).toHaveCount(0);
  await choose(filters, 'State', 'Succeeded');
  await choose(filters, 'Time', 'Last 14 days');
  await expect(rows.getByText(`${mark} well`)).toBeVisible();
  const asked = page.waitForRequest((request) => request.url().includes('/api/v2/history?'));
  await page.getByRole('button', { name: 'Read again' }).click();
  expect((await asked).url()).toMatch(/state=succeeded.*text=mark/i);
  await expectAccessible(page);
});

test('admin: every section opens, and a form shows its SQL', async ({ console: page }) => {
  await page.goto(address('/admin'));
  const sections = page.getByRole('tablist').first().getByRole('tab');
  await expect(sections.first()).toBeVisible();
  for (const section of await sections.all()) {
    await section.click();
    await expect(section).toHaveAttribute('aria-selected', 'true');
    await expect(page.locator('.waiting')).toHaveCount(0);
    await expectAccessible(page);
  }
});

test('analyst: a question is answered with SQL and rows, by keyboard alone', async ({
  console: page,
}) => {
  await page.goto(address('/analyst?question=What%20was%20the%20revenue%20by%20month%3F'));
  const turn = page.getByRole('article').first();
  await expect(turn).toContainText('Answered');
  await expect(turn).toContainText(/SELECT/i);
  await expectAccessible(page);
  const field = page.getByRole('textbox', { name: /^Question about/ });
  await field.focus();
  await page.keyboard.type('Which products were returned most often?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article')).toHaveCount(2);
  await expect(page.getByRole('article').nth(1)).toContainText(/Answered|read in several ways/);
  await page.getByRole('button', { name: 'Good answer' }).first().click();
  await expect(page.getByRole('button', { name: 'Good answer, given' })).toBeVisible();
});
