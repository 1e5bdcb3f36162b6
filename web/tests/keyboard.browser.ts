import type { Page } from '@playwright/test';
import { address, expect, sql, test, unique } from './console';
import { TOKEN } from './server';
import { cell, editor, grid, head, result } from './worksheet';

/** Goes on with Tab until something of this name has the focus. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  for (let press = 0; press < 40; press += 1) {
    const found = await page.evaluate(() => {
      const here = document.activeElement === document.body ? null : document.activeElement;
      return `${here?.getAttribute('aria-label') ?? ''} ${here?.textContent ?? ''}`;
    });
    if (name.test(found)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`no ${key} leads to ${name}`);
}

test('from sign-in over a result, its chart and profile to the history without a mouse', async ({
  guest: page,
}) => {
  const mark = unique('KEYS');
  await page.goto(address('/'));
  await expect(page.getByLabel('Token', { exact: true })).toBeFocused();
  await page.keyboard.type(TOKEN);
  await page.keyboard.press('Enter');
  await expect(editor(page)).toBeVisible();
  // F6 leads from part to part: the list, the editor, the result.
  for (let part = 0; part < 4; part += 1) {
    if (await editor(page).evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('F6');
  }
  await expect(editor(page)).toBeFocused();
  await page.keyboard.insertText(
    `SELECT category, COUNT(*) AS n, '${mark}' AS mark FROM DEMO.PUBLIC.PRODUCTS GROUP BY 1 ORDER BY 1`,
  );
  await page.keyboard.press('Control+Enter');
  await expect(head(page).locator('.state-succeeded')).toBeVisible();

  await expect(grid(page)).toBeVisible();
  await page.keyboard.press('F6');
  await expect(grid(page)).toBeFocused();
  await expect(cell(page, 1, 1)).toBeVisible();
  await page.keyboard.press('Control+End');
  const rows = Number(await grid(page).getAttribute('aria-rowcount')) - 1;
  const active = grid(page).locator(
    `[id="${await grid(page).getAttribute('aria-activedescendant')}"]`,
  );
  await expect(active).toHaveText(mark);
  await expect(page.locator('.firn-grid-position')).toContainText(`of ${rows}`);
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.locator('.firn-grid-statistics')).toContainText('cells 2');

  await tabTo(page, /^ ?Chart$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(result(page).locator('.firn-chart canvas')).toBeVisible();
  await tabTo(page, /^ ?Profile$/, 'Tab');
  await page.keyboard.press('Enter');
  await expect(result(page).locator('.profile-box').first()).toBeVisible();
  await tabTo(page, /As a list/);
  await page.keyboard.press('Enter');
  await expect(result(page).getByRole('list', { name: 'Steps' })).toContainText(/PRODUCTS/i);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('history');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
  await tabTo(page, /^Find by text or query id/);
  await page.keyboard.type(mark);
  const list = page.getByRole('grid', { name: /^Statements/ });
  // Not the list of before, which the one that was asked for replaces.
  await expect(list).toContainText(mark);
  await expect(list.getByRole('row').filter({ hasNotText: mark })).toHaveCount(0);
  await tabTo(page, new RegExp(`Succeeded.*${mark}|${mark}`));
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Statement', exact: true });
  await expect(panel).toContainText('Query id');
  await tabTo(page, /^ ?Statement$/);
  await page.keyboard.press('ArrowRight');
  await expect(panel.getByRole('grid')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(panel).toContainText(/ran without a profile|steps/);
});

test('a table is found in the tree without a mouse', async ({ console: page }) => {
  const name = unique('TREE');
  await sql(`CREATE TABLE DEMO.PUBLIC.${name} (ID NUMBER)`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('data');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Data', level: 1 })).toBeVisible();
  const tree = page.getByRole('treegrid', { name: /^Databases/ });
  await expect(tree.getByRole('row', { name: 'DEMO', exact: true })).toBeVisible();
  await tabTo(page, /DEMO/);
  // Letters lead to the row that begins with them, the right arrow unfolds it.
  for (const row of ['PUBLIC', 'Tables', name]) {
    await page.keyboard.press('ArrowRight');
    await expect(tree.getByRole('row', { name: new RegExp(`^${row}`) }).first()).toBeVisible();
    // Letters count as one word until a second has passed.
    await page.waitForTimeout(1100);
    await page.keyboard.type(row);
    await expect(tree.locator('[data-focused]')).toContainText(row);
  }
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await sql(`DROP TABLE DEMO.PUBLIC.${name}`);
});
