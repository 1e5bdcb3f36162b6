import { readFileSync } from 'node:fs';
import { address, expect, sql, test, unique } from './console';
import { cell, editor, grid, head } from './worksheet';

test('names and types of a file are edited before it becomes a table', async ({
  console: page,
}) => {
  const name = unique('EDITED');
  await page.goto(address('/data?kind=schema&database=DEMO&name=PUBLIC'));
  await page.getByLabel('File to make a table of').setInputFiles({
    name: `${name}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from('id,city,price\n1,Bern,1.50\n2,Basel,22.75\n'),
  });
  const dialog = page.getByRole('dialog', { name: 'Table from a file' });
  await dialog.getByLabel('Type of column id').fill('VARCHAR');
  await dialog.getByLabel('Name of column price').fill('list price');
  await dialog.getByLabel('Take column city').uncheck();
  await expect(dialog).toContainText(/"list price" NUMBER/);
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name })).toBeVisible();
  expect(await sql(`SELECT * FROM DEMO.PUBLIC.${name} ORDER BY 1`)).toEqual([
    ['1', '1.50'],
    ['2', '22.75'],
  ]);
  await sql(`DROP TABLE DEMO.PUBLIC.${name}`);
});

test('files are brought to a stage by folders, fetched and removed', async ({ console: page }) => {
  const stage = unique('LANDING');
  await sql(`CREATE STAGE DEMO.PUBLIC.${stage}`);
  await page.goto(address(`/data?kind=stage&database=DEMO&schema=PUBLIC&name=${stage}`));
  await page.getByRole('button', { name: 'Folder …' }).click();
  await page.getByRole('dialog', { name: 'Folder' }).getByLabel('Name').fill('2026');
  await page.keyboard.press('Enter');
  const file = { name: 'a b.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n1\n') };
  await page.getByLabel('Files to bring').setInputFiles(file);
  const row = page.getByRole('row', { name: /^a b\.csv/ });
  await expect(row).toBeVisible();
  // The same name again is asked about.
  await page.getByLabel('Files to bring').setInputFiles(file);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep' }).click();
  const download = page.waitForEvent('download');
  await row.getByRole('button', { name: 'Fetch a b.csv' }).click();
  expect(readFileSync(await (await download).path(), 'utf8')).toBe('a\n1\n');
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('button').first().click();
  await page.getByRole('button', { name: '2026/' }).click();
  await row.getByRole('button', { name: 'Remove a b.csv' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(row).toHaveCount(0);
  await sql(`DROP STAGE DEMO.PUBLIC.${stage}`);
});

test('a running statement is found in the history and cancelled there', async ({
  console: page,
  another,
}) => {
  const mark = unique('SLOW');
  await expect(editor(page)).toBeVisible();
  await page.keyboard.press('Alt+t');
  await editor(page).fill(
    `SELECT COUNT(*) AS ${mark} FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1`,
  );
  await editor(page).press('Control+Enter');
  await expect(page.getByRole('button', { name: /^Cancel/ })).toBeVisible();
  const other = await another();
  await other.goto(address('/history#token=firn_pat_browser_0123456789abcdef'));
  await other.getByRole('button', { name: /State$|^Any state|State/ }).click();
  await other.getByRole('option', { name: 'Running' }).click();
  await other.getByRole('searchbox').fill(mark);
  await other
    .getByRole('grid', { name: /^Statements/ })
    .getByText(mark)
    .first()
    .click();
  const panel = other.getByRole('region', { name: 'Statement', exact: true });
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await expect(head(page)).toContainText('cancelled');
});

test('the introduction runs a first statement, and is gone for good when it is closed', async ({
  console: page,
}) => {
  await page.getByRole('button', { name: 'Run a first statement' }).click();
  await expect(cell(page, 1, 1)).toBeVisible();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^\d\d/);
  await page.keyboard.press('Alt+t');
  await expect(page.getByText('Results appear here')).toBeVisible();
  await expect(page.getByText('Look around in the demo data')).toHaveCount(0);
});
