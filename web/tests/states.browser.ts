// Every state that a page can be in is clean for axe, in both themes.
import type { Page } from '@playwright/test';
import { address, expect, expectAccessible, expectReadable, showIn, test } from './console';
import { editor, grid, head, result, run, write } from './worksheet';

async function check(page: Page, name: string, reach: () => Promise<void>): Promise<void> {
  await test.step(name, async () => {
    await reach();
    await showIn(page, 'light');
    await expectAccessible(page);
    await showIn(page, 'dark');
    await expectReadable(page);
  });
}

const close = (page: Page) => page.keyboard.press('Escape');

test('worksheets in every state is clean for axe', async ({ console: page }) => {
  await check(page, 'no rows', () => run(page, 'SELECT 1 AS a WHERE FALSE'));
  await check(page, 'a script', async () => {
    await write(page, 'SELECT 1;\nSELECT no_such;\nSELECT 3;');
    await editor(page).press('Control+Shift+Enter');
    await expect(result(page).getByRole('button', { name: /did not run/ })).toBeVisible();
  });
  await check(page, 'running', async () => {
    await write(
      page,
      'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1',
    );
    await editor(page).press('Control+Enter');
    await expect(page.getByRole('button', { name: /^Cancel/ })).toBeVisible();
  });
  await check(page, 'cancelled', async () => {
    await page.keyboard.press('Control+.');
    await expect(head(page)).toContainText('cancelled');
  });
  await run(
    page,
    "SELECT PARSE_JSON('{\"a\": [1, 2]}') AS doc, NULL AS none, '' AS blank, 1.5 AS n",
  );
  await check(page, 'a selection', async () => {
    await grid(page).focus();
    await page.keyboard.press('Control+A');
  });
  await check(page, 'the value panel', async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Enter');
    await expect(page.locator('.firn-value')).toBeVisible();
  });
  await close(page);
  await check(page, 'the panel of a column', async () => {
    await grid(page)
      .getByRole('columnheader', { name: 'N', exact: true })
      .click({ button: 'right' });
    await expect(result(page).getByRole('dialog')).toBeVisible();
  });
  await close(page);
  await check(page, 'completion', async () => {
    await editor(page).press('Control+End');
    await page.keyboard.type(';\nSELECT * FROM DEMO.PUBLIC.ORD');
    await expect(page.locator('.cm-tooltip-autocomplete')).toBeVisible();
  });
  await close(page);
  await check(page, 'find in the editor', async () => {
    await editor(page).press('Control+f');
    await expect(page.locator('.cm-search')).toBeVisible();
  });
  await close(page);
  await check(page, 'a menu', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(page.getByRole('menu')).toBeVisible();
  });
  await close(page);
  await check(page, 'the picker of schemas', async () => {
    await page.getByRole('button', { name: /^Database and schema:/ }).click();
    await expect(page.getByRole('combobox', { name: 'Find a schema' })).toBeVisible();
  });
  await close(page);
  await check(page, 'the list of worksheets', () =>
    page.getByRole('button', { name: 'Worksheets', exact: true }).click(),
  );
  await check(page, 'the palette', () => page.keyboard.press('Control+k'));
  await close(page);
  await check(page, 'the keys', () => page.keyboard.press('Control+Shift+?'));
});

test('data and history in every state is clean for axe', async ({ console: page }) => {
  await page.goto(address('/data?kind=table&database=DEMO&schema=PUBLIC&name=ORDERS'));
  const object = page.getByRole('region', { name: 'Object' });
  await check(page, 'statistics of a column', async () => {
    await object.getByRole('button', { name: 'Statistics of STATUS' }).click();
    await expect(page.locator('.waiting')).toHaveCount(0);
  });
  for (const tab of ['Sample', 'DDL', 'Grants', 'Lineage', 'Files']) {
    await check(page, tab, async () => {
      await object.getByRole('tab', { name: tab, exact: true }).click();
      await expect(page.locator('.waiting')).toHaveCount(0);
    });
  }
  await check(page, 'nothing found', async () => {
    await page.getByRole('searchbox', { name: 'Find objects' }).fill('no such thing');
    await page.getByRole('button', { name: 'Search all databases' }).click();
    await expect(page.getByText('Nothing is called like that.')).toBeVisible();
  });
  await check(page, 'something that is not there', async () => {
    await page.goto(address('/data?kind=table&database=DEMO&schema=PUBLIC&name=NO_SUCH'));
    await expect(page.getByRole('alert').first()).toBeVisible();
  });
  await check(page, 'files of the user', () => page.goto(address('/data?files=own')).then());
  await check(page, 'a history without a match', async () => {
    await page.goto(address('/history'));
    await page.getByRole('searchbox').fill('no such statement was ever run here');
    await expect(page.locator('.waiting')).toHaveCount(0);
  });
  await check(page, 'a page that is not there', async () => {
    await page.goto(address('/worksheets'));
    await page.evaluate(() => history.pushState(null, '', '/admin/nowhere'));
    await page.evaluate(() => window.dispatchEvent(new PopStateEvent('popstate')));
  });
});
