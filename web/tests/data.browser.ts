import { readFileSync } from 'node:fs';
import { address, expect, expectAccessible, showIn, sql, test, unique } from './console';
import { TOKEN } from './server';
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

test('a file is seen before it is loaded, and names that are missing or meet are given and told', async ({
  console: page,
}) => {
  const name = unique('NAMES');
  await page.goto(address('/data?kind=schema&database=DEMO&name=PUBLIC'));
  await page.getByLabel('File to make a table of').setInputFiles({
    name: `${name}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from('id,name,Name,,name\n1,Ann,Berg,"a, b",\n2,Ben,Tal,c,x\n'),
  });
  const dialog = page.getByRole('dialog', { name: 'Table from a file' });
  const notes = dialog.getByRole('status');
  await expect(notes).toContainText(
    'Column 3, “Name”, would have the name of column 2: it is NAME_2 here.',
  );
  await expect(notes).toContainText('Column 4 has no name in the file: it is C4 here.');
  await expect(notes).toContainText('it is NAME_3 here.');
  const row = (source: string) =>
    dialog
      .getByRole('row')
      .filter({ has: page.getByLabel(`Name of column ${source}`, { exact: true }) });
  await expect(row('4')).toContainText('a, b');
  await expect(row('name (2)')).toContainText('AnnBen');
  await expect(row('name (5)')).toContainText('x');
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
  await dialog.getByLabel('Name of column 4', { exact: true }).fill('note');
  await dialog.getByLabel('Name of column name (5)').fill('name');
  await expect(dialog).toContainText('Two columns are called NAME.');
  await expect(dialog.getByRole('button', { name: 'Create', exact: true })).toBeDisabled();
  await dialog.getByLabel('Name of column name (5)').fill('family');
  await dialog.getByLabel('Type of column id').fill('VARCHAR(3)');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  expect(await sql(`SELECT ID, NAME, NAME_2, NOTE FROM DEMO.PUBLIC.${name} ORDER BY ID`)).toEqual([
    ['1', 'Ann', 'Berg', 'a, b'],
    ['2', 'Ben', 'Tal', 'c'],
  ]);
  await sql(`DROP TABLE DEMO.PUBLIC.${name}`);
});

for (const [kind, ending, content] of [
  ['JSON', 'jsonl', '{"a": 1, "A": "x", "b c": [1]}\n{"a": 2, "A": null, "b c": []}\n'],
  ['CSV', 'csv', 'a;A;b c\r\n1;x;[1]\r\n2;;[]\r\n'],
] as const) {
  test(`names of a ${kind} file that differ in letter case are columns of their own`, async ({
    console: page,
  }) => {
    const name = unique('CASES');
    await page.goto(address('/data?kind=schema&database=DEMO&name=PUBLIC'));
    await page.getByLabel('File to make a table of').setInputFiles({
      name: `${name}.${ending}`,
      mimeType: 'text/plain',
      buffer: Buffer.from(content),
    });
    const dialog = page.getByRole('dialog', { name: 'Table from a file' });
    await expect(dialog.getByRole('status')).toContainText('it is A_2 here.');
    await expect(dialog.getByRole('columnheader', { name: 'Row 2' })).toBeVisible();
    await expect(dialog.getByRole('table')).toContainText('[1]');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(dialog).toHaveCount(0);
    const rows = await sql(`SELECT A, A_2, B_C FROM DEMO.PUBLIC.${name}`);
    expect(rows.map((row) => row.slice(0, 2).join()).sort()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(1,x|x,1)$/)]),
    );
    await sql(`DROP TABLE DEMO.PUBLIC.${name}`);
  });
}

test('a load that fails leaves nothing behind, and goes well once the type is corrected', async ({
  console: page,
}) => {
  const name = unique('CORRECTED');
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const uploads = async (): Promise<string[]> => {
    const answer = await fetch(address('/api/v2/stages/~/files?prefix=console-upload/'), {
      headers,
    });
    const { files } = (await answer.json()) as { files: { path: string }[] };
    return files.map(({ path }) => path);
  };
  const before = await uploads();
  await page.goto(address('/data?kind=schema&database=DEMO&name=PUBLIC'));
  const choose = () =>
    page.getByLabel('File to make a table of').setInputFiles({
      name: `${name}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from('id,v\n1,2\n2,3\n3,abc\n'),
    });
  await choose();
  const dialog = page.getByRole('dialog', { name: 'Table from a file' });
  await dialog.getByLabel('Type of column v').fill('NUMBER(38,0)');
  const create = dialog.getByRole('button', { name: 'Create', exact: true });
  await create.click();
  await expect(dialog.getByRole('alert')).toContainText("'abc' is not recognized");
  expect(await sql(`SHOW TABLES LIKE '${name}' IN SCHEMA DEMO.PUBLIC`)).toEqual([]);
  await dialog.getByLabel('Type of column v').fill('VARCHAR');
  await create.click();
  await expect(dialog).toHaveCount(0);
  expect(await sql(`SELECT COUNT(*) FROM DEMO.PUBLIC.${name}`)).toEqual([['3']]);
  await choose();
  await expect(dialog.getByLabel('Type of column v')).toBeVisible();
  await page.reload();
  await expect
    .poll(async () => (await uploads()).filter((path) => !before.includes(path)))
    .toEqual([]);
  await sql(`DROP TABLE DEMO.PUBLIC.${name}`);
});

for (const name of ['a%41b', "t%20?#'q", '100% t']) {
  test(`the page of a table of the name ${name} is its own`, async ({ console: page }) => {
    const schema = unique('ODD');
    const table = `DEMO.${schema}."${name}"`;
    await sql(`CREATE SCHEMA DEMO.${schema}`);
    await sql(`CREATE TABLE ${table} (only_here NUMBER COMMENT '<b>mark</b>')`);
    await page.goto(address(`/data?kind=schema&database=DEMO&name=${schema}`));
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
    await expect(page.getByText('ONLY_HERE')).toBeVisible();
    await expect(page.getByText('<b>mark</b>')).toBeVisible();
    await page.reload();
    await expect(page.getByText('ONLY_HERE')).toBeVisible();
    await page.getByRole('tab', { name: 'Files' }).click();
    const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('1\n') };
    await page.getByLabel('Files to bring').setInputFiles(file);
    await expect(page.getByRole('row', { name: /^a\.csv/ })).toBeVisible();
    expect(await sql(`SELECT $1 FROM @DEMO.${schema}.%"${name}"`)).toEqual([['1']]);
    await sql(`DROP SCHEMA DEMO.${schema}`);
  });
}

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
