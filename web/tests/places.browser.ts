// Roles, warehouses, databases and schemas that a worksheet has chosen, also while they are hidden or gone.
import type { Page } from '@playwright/test';
import { expect, sql, test, unique } from './console';
import { cell, editor, head, result, run, write } from './worksheet';

const place = (page: Page) => page.getByRole('button', { name: /^Database and schema:/ });

const role = (page: Page) => page.getByRole('button', { name: /^Role:/ });

async function fails(page: Page, text: string, words: string | RegExp): Promise<void> {
  await write(page, text);
  await editor(page).press('Control+Shift+Enter');
  await expect(head(page)).toContainText('failed');
  await expect(result(page)).toContainText(words);
}

async function choosePlace(page: Page, name: string): Promise<void> {
  await place(page).click();
  await page.getByLabel('Find a schema').fill(name);
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
}

test('after USE of a role that does not see the database, statements go on', async ({
  console: page,
}) => {
  await expect(place(page)).toContainText('FIRN.PUBLIC');
  await run(page, 'USE ROLE SYSADMIN');
  await expect(role(page)).toContainText('SYSADMIN');
  await run(page, 'SELECT CURRENT_ROLE()');
  await expect(cell(page, 1, 1)).toHaveText('SYSADMIN');
  await page.getByRole('button', { name: 'New worksheet' }).click();
  await run(page, 'SELECT CURRENT_ROLE()');
  await expect(cell(page, 1, 1)).toHaveText('SYSADMIN');
  await run(page, 'USE ROLE ACCOUNTADMIN');
  await expect(role(page)).toContainText('ACCOUNTADMIN');
  await run(page, 'SELECT CURRENT_DATABASE()');
  await expect(cell(page, 1, 1)).toHaveText('FIRN');
});

test('after the current database was dropped, statements go on', async ({ console: page }) => {
  const database = unique('GONE');
  await run(page, `CREATE DATABASE ${database}`);
  await run(page, `USE DATABASE ${database}`);
  await expect(place(page)).toContainText(`${database}.PUBLIC`);
  await run(page, `DROP DATABASE ${database}`);
  await run(page, 'SELECT 1');
  await expect(cell(page, 1, 1)).toHaveText('1');
  await fails(page, 'CREATE TABLE t (a NUMBER)', database);
  await run(page, 'USE DATABASE DEMO');
  await expect(place(page)).toContainText('DEMO.PUBLIC');
  await run(page, 'SELECT CURRENT_DATABASE()');
  await expect(cell(page, 1, 1)).toHaveText('DEMO');
});

test('a role that is picked keeps the database, which it may not see', async ({
  console: page,
}) => {
  await choosePlace(page, 'DEMO.PUBLIC');
  await role(page).click();
  await page.getByRole('menuitemradio', { name: 'PUBLIC', exact: true }).click();
  await run(page, 'SELECT CURRENT_ROLE()');
  await expect(cell(page, 1, 1)).toHaveText('PUBLIC');
  await expect(place(page)).toContainText('DEMO.PUBLIC');
  await fails(page, 'SELECT * FROM orders', 'DEMO');
  await role(page).click();
  await page.getByRole('menuitemradio', { name: 'ACCOUNTADMIN', exact: true }).click();
  await run(page, 'SELECT COUNT(*) > 0 FROM orders');
  await expect(cell(page, 1, 1)).toHaveText(/true/i);
});

test('what a picker says and is gone runs nowhere else, and USE leads out', async ({
  console: page,
}) => {
  const database = unique('PICKED');
  await sql(`CREATE DATABASE ${database}`);
  await page.reload();
  await choosePlace(page, `${database}.PUBLIC`);
  await sql(`DROP DATABASE ${database}`);
  await fails(page, 'SELECT 1', database);
  await expect(result(page)).toContainText('“Database and schema”');
  await expect(place(page)).toContainText(database);
  await run(page, 'USE SCHEMA DEMO.PUBLIC');
  await expect(place(page)).toContainText('DEMO.PUBLIC');
  await run(page, 'SELECT 2');
  await expect(cell(page, 1, 1)).toHaveText('2');
});

test('what is picked is chosen for the next run, and warehouses with it', async ({
  console: page,
}) => {
  const warehouse = unique('PICKED_WH');
  await sql(`CREATE WAREHOUSE ${warehouse}`);
  await page.reload();
  await run(page, 'SELECT 1');
  await page.getByRole('button', { name: /^Warehouse:/ }).click();
  await page.getByRole('menuitemradio', { name: warehouse }).click();
  await choosePlace(page, 'SNOWFLAKE.INFORMATION_SCHEMA');
  await run(page, "SELECT CURRENT_WAREHOUSE() || ' ' || CURRENT_DATABASE()");
  await expect(cell(page, 1, 1)).toHaveText(`${warehouse} SNOWFLAKE`);
  await sql(`DROP WAREHOUSE ${warehouse}`);
});
