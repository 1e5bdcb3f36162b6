import type { Locator, Page } from '@playwright/test';
import { address, expect, expectAccessible, sql, test, unique } from './console';
import { choose, form, send } from './forms';

async function openForm(page: Page, kind: RegExp, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'New policy' }).click();
  const create = form(page, 'New policy');
  await choose(create, 'Kind', kind);
  await create.getByLabel('Name', { exact: true }).fill(name);
  return create;
}

const details = (page: Page): Locator => page.locator('.policy-details');

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Show ${name}` }).click();
  await expect(details(page)).toBeVisible();
}

test('a mask is written, set on a column, changed, taken off and dropped', async ({
  console: page,
}) => {
  const [schema, name] = [unique('POLICIES'), unique('HIDE')];
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE TABLE DEMO.${schema}.PEOPLE (ID NUMBER, EMAIL VARCHAR)`);
  await sql(`INSERT INTO DEMO.${schema}.PEOPLE VALUES (1, 'ann@example.org')`);
  await page.goto(address('/admin/policies'));
  const create = await openForm(page, /^Masking/, name);
  await create.getByLabel('Schema').fill(`demo.${schema}`);
  await create.getByLabel('What is shown of val').fill("CONCAT('*', RIGHT(val, 4))");
  await expectAccessible(page);
  await send(create, 'Create', 'AS (val VARCHAR) RETURNS VARCHAR ->');
  await open(page, name);
  await expect(details(page)).toContainText('It is used nowhere.');

  await details(page).getByRole('button', { name: 'Set on a table' }).click();
  const set = form(page, `Set ${name}`);
  await set.getByLabel('Table or view').fill(`DEMO.${schema}.PEOPLE`);
  await choose(set, 'Column to mask', /^EMAIL/);
  await expectAccessible(page);
  await send(set, 'Set', `ALTER TABLE DEMO.${schema}.PEOPLE ALTER COLUMN EMAIL SET MASKING POLICY`);
  await expect(details(page).getByRole('row', { name: /EMAIL/ })).toBeVisible();
  expect(await sql(`SELECT EMAIL FROM DEMO.${schema}.PEOPLE`)).toEqual([['*.org']]);

  await details(page).getByRole('button', { name: 'Change the expression' }).click();
  const change = form(page, `Change ${name}`);
  await expect(change.getByLabel('Expression')).toHaveValue(/RIGHT/i);
  await change.getByLabel('Expression').fill("'hidden'");
  await send(change, 'Change', "SET BODY ->\n  'hidden'");
  expect(await sql(`SELECT EMAIL FROM DEMO.${schema}.PEOPLE`)).toEqual([['hidden']]);
  await expectAccessible(page);

  // What is set somewhere is not dropped: the server says so where it was asked.
  await details(page).getByRole('button', { name: 'Drop' }).click();
  const drop = form(page, `Drop ${name}?`);
  await drop.getByRole('button', { name: 'Drop' }).click();
  await expect(drop.getByRole('alert')).toBeVisible();
  await drop.getByRole('button', { name: 'Cancel' }).click();
  await details(page)
    .getByRole('button', { name: `Take ${name} off` })
    .click();
  await send(page.getByRole('alertdialog'), 'Take off', 'UNSET MASKING POLICY');
  await expect(details(page)).toContainText('It is used nowhere.');
  await details(page).getByRole('button', { name: 'Drop' }).click();
  await send(drop, 'Drop', `DROP MASKING POLICY DEMO.${schema}.${name}`);
  await expect(page.getByRole('button', { name: `Show ${name}` })).toHaveCount(0);
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('a row filter is written and set on a table', async ({ console: page }) => {
  const [schema, name] = [unique('FILTERS'), unique('ROWS')];
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE TABLE DEMO.${schema}.SALES (AREA VARCHAR, AMOUNT NUMBER)`);
  await sql(`INSERT INTO DEMO.${schema}.SALES VALUES ('north', 1), ('south', 2)`);
  await page.goto(address('/admin/policies'));
  const create = await openForm(page, /^Row access/, name);
  await create.getByLabel('Schema').fill(`demo.${schema}`);
  await create.getByLabel('Columns that it looks at').fill('area VARCHAR');
  await create.getByLabel('A row is shown if').fill("area = 'north'");
  await expectAccessible(page);
  await send(create, 'Create', 'AS (area VARCHAR) RETURNS BOOLEAN ->');
  await open(page, name);
  await details(page).getByRole('button', { name: 'Set on a table' }).click();
  const set = form(page, `Set ${name}`);
  await set.getByLabel('Table or view').fill(`demo.${schema}.sales`);
  await choose(set, 'Column for AREA', /^AREA/i);
  await expectAccessible(page);
  await send(set, 'Set', /ADD ROW ACCESS POLICY .* ON \(AREA\)/);
  expect(await sql(`SELECT AMOUNT FROM DEMO.${schema}.SALES`)).toEqual([['1']]);
  await details(page)
    .getByRole('button', { name: `Take ${name} off` })
    .click();
  await send(page.getByRole('alertdialog'), 'Take off', 'DROP ROW ACCESS POLICY');
  await expect(details(page)).toContainText('It is used nowhere.');
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('policies of sign-in are made, set on a user and dropped', async ({ console: page }) => {
  const [schema, user] = [unique('LOGINS'), unique('VISITOR')];
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE USER ${user}`);
  await page.goto(address('/admin/policies'));
  const kinds: [RegExp, (create: Locator) => Promise<void>, string | RegExp][] = [
    [
      /^Network/,
      (create) => create.getByLabel('Allowed addresses').fill('127.0.0.1, 10.0.0.0/8'),
      "ALLOWED_IP_LIST = ('127.0.0.1', '10.0.0.0/8')",
    ],
    [
      /^Password/,
      (create) => create.getByLabel('Least length').fill('12'),
      'PASSWORD_MIN_LENGTH = 12',
    ],
    [
      /^Session/,
      (create) => create.getByLabel('Idle minutes until a session ends').fill('30'),
      'SESSION_IDLE_TIMEOUT_MINS = 30',
    ],
    [
      /^Authentication/,
      (create) => create.getByLabel('password', { exact: true }).check(),
      "AUTHENTICATION_METHODS = ('PASSWORD', 'KEYPAIR')",
    ],
  ];
  for (const [kind, fill, expected] of kinds) {
    const name = unique('LOGIN');
    await test.step(String(kind), async () => {
      const create = await openForm(page, kind, name);
      if (await create.getByLabel('Schema').isVisible()) {
        await create.getByLabel('Schema').fill(`demo.${schema}`);
      }
      await fill(create);
      await expectAccessible(page);
      await send(create, 'Create', expected);
      await open(page, name);
      await details(page).getByRole('button', { name: 'Set on the account or a user' }).click();
      const set = form(page, `Set ${name}`);
      await choose(set, 'For', user);
      await expectAccessible(page);
      await send(set, 'Set', `ALTER USER ${user} SET`);
      await details(page)
        .getByRole('button', { name: `Take ${name} off ${user}` })
        .click();
      await send(page.getByRole('alertdialog'), 'Take off', `ALTER USER ${user} UNSET`);
      await expect(details(page)).toContainText('It is used nowhere.');
      await details(page).getByRole('button', { name: 'Drop' }).click();
      await send(form(page, `Drop ${name}?`), 'Drop', /^DROP .* POLICY/);
      await expect(page.getByRole('button', { name: `Show ${name}` })).toHaveCount(0);
    });
  }
  await sql(`DROP USER ${user}`);
  await sql(`DROP SCHEMA DEMO.${schema}`);
});
