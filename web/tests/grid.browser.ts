import { readFileSync } from 'node:fs';
import { expect, test } from './console';
import { cell, grid, head, result, run } from './worksheet';

const clipboard = (page: import('@playwright/test').Page) =>
  page.evaluate(() => navigator.clipboard.readText());

test('NULL, empty text, numbers and dates are told apart; JSON has a panel', async ({
  console: page,
}) => {
  await run(
    page,
    `SELECT NULL AS nothing, '' AS blank, 'NULL' AS word, 12345678901234567890123456789012345678 AS big,
       DATE '2024-02-29' AS day, PARSE_JSON('{"a": [1, {"b": "deep"}], "c": null}') AS doc`,
  );
  await expect(cell(page, 1, 1).locator('.firn-grid-null')).toHaveText('NULL');
  await expect(cell(page, 1, 2).locator('.firn-grid-empty')).toHaveText('empty');
  await expect(cell(page, 1, 3)).toHaveText('NULL');
  await expect(cell(page, 1, 3).locator('.firn-grid-null')).toHaveCount(0);
  await expect(cell(page, 1, 4)).toHaveText('12345678901234567890123456789012345678');
  await expect(cell(page, 1, 5)).toHaveText('2024-02-29');

  await grid(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const panel = page.locator('.firn-value');
  await expect(panel).toBeFocused();
  await expect(panel).toContainText('DOC');
  await expect(panel).toContainText('a: [ 2 ]');
  await panel.getByRole('button', { name: 'Text', exact: true }).click();
  await expect(panel.locator('.firn-value-text')).toContainText('deep');
  await panel.getByRole('button', { name: 'Column before' }).click();
  await expect(panel).toContainText('DAY');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(grid(page)).toBeFocused();
});

test('a million rows are reached to the last, by keys, by number and by the bar', async ({
  console: page,
}) => {
  await run(
    page,
    'SELECT ROW_NUMBER() OVER (ORDER BY SEQ8()) AS n, n * 2 AS twice FROM TABLE(GENERATOR(ROWCOUNT => 1000000)) ORDER BY n',
  );
  await expect(head(page)).toContainText('1,000,000 rows');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '1000001');
  await grid(page).focus();
  await page.keyboard.press('Control+End');
  await expect(cell(page, 1_000_000, 2)).toHaveText('2000000');
  await page.keyboard.press('Control+Home');
  await expect(cell(page, 1, 1)).toHaveText('1');
  await page.getByRole('textbox', { name: 'Go to row' }).fill('654,321');
  await page.keyboard.press('Enter');
  await expect(cell(page, 654_321, 1)).toHaveText('654321');
  await grid(page).evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(cell(page, 1_000_000, 1)).toHaveText('1000000');
  await expect(page.locator('.firn-grid-position')).toContainText('1,000,000 of 1,000,000');
  expect(await grid(page).locator('[role=row]').count()).toBeLessThan(200);
});

test('a rectangle is selected, counted up and copied', async ({ console: page }) => {
  await run(
    page,
    'SELECT column1 AS n, column2 AS t, column3 AS f FROM VALUES (1, $$a$$, 1.5), (2, $$b"c$$, NULL), (3, NULL, 2.5) ORDER BY n',
  );
  await grid(page).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+Control+End');
  const statistics = page.locator('.firn-grid-statistics');
  await expect(statistics).toContainText('cells 9');
  await expect(statistics).toContainText('not null 7');
  await page.keyboard.press('Control+Home');
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(`Shift+${key}`);
  await expect(statistics).toContainText('sum 6');
  await expect(statistics).toContainText('avg 2');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+c');
  await expect.poll(() => clipboard(page)).toMatch(/1\ta\r?\n2\t.*b.*c.*\r?\n3\t/);

  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: /JSON/ }).first().click();
  await expect.poll(() => clipboard(page)).toContain('"b\\"c"');
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: /CSV/ }).first().click();
  await expect.poll(() => clipboard(page)).toContain('"b""c"');
});

test('cells are selected with the mouse, columns sorted and filtered, and it is said of what', async ({
  console: page,
}) => {
  await run(
    page,
    'SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) AS n FROM TABLE(GENERATOR(ROWCOUNT => 50)) ORDER BY n',
  );
  await cell(page, 2, 1).click();
  await cell(page, 5, 1).click({ modifiers: ['Shift'] });
  await expect(page.locator('.firn-grid-statistics')).toContainText('sum 14');
  await grid(page).getByRole('columnheader', { name: 'N', exact: true }).click({ button: 'right' });
  const panel = result(page).getByRole('dialog');
  await expect(panel).toBeVisible();
  await panel
    .getByRole('button', { name: /descending|largest|greatest|Z/i })
    .first()
    .click();
  await page.keyboard.press('Escape');
  await expect(cell(page, 1, 1)).toHaveText('50');
});

test('the whole result is downloaded as CSV', async ({ console: page }) => {
  await run(page, 'SELECT SEQ8() AS n FROM TABLE(GENERATOR(ROWCOUNT => 300000)) ORDER BY n');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download all rows' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const file = await download;
  const text = readFileSync(await file.path(), 'utf8');
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  expect(text.trim().split('\n')).toHaveLength(300_001);
});
