import { address, expect, sql, test, unique } from './console';
import { TOKEN } from './server';
import { cell, editor, grid, head, run, write } from './worksheet';

const EVIL = '<img src=x onerror="alert(1)">';
const LINK = 'javascript:alert(1)';

// The fixture fails on any dialog, foreign request, fault of the policy and error of a script.
test('names, comments, cells and errors that hold markup are shown as text', async ({
  console: page,
}) => {
  const schema = unique('EVIL');
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  const table = `DEMO.${schema}."${EVIL.replaceAll('"', '""')}"`;
  await sql(
    `CREATE TABLE ${table} ("${EVIL.replaceAll('"', '""')}" STRING COMMENT '${EVIL}', "${LINK}" STRING) COMMENT = '${EVIL}'`,
  );
  await sql(`INSERT INTO ${table} VALUES ('${EVIL}', '${LINK}')`);
  await run(
    page,
    `SELECT *, PARSE_JSON('{"<b onclick=alert(1)>": "${LINK}"}') AS doc FROM ${table}`,
  );
  await expect(cell(page, 1, 1)).toHaveText(EVIL);
  await expect(cell(page, 1, 2)).toHaveText(LINK);
  await expect(grid(page).getByRole('columnheader', { name: EVIL })).toBeVisible();
  await grid(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page.locator('.firn-value')).toContainText('onclick=alert(1)');
  await page.keyboard.press('Escape');

  await write(page, `SELECT "${EVIL.replaceAll('"', '""')} missing" FROM ${table}`);
  await editor(page).press('Control+Enter');
  await expect(head(page)).toContainText('failed');

  await page.getByRole('searchbox', { name: 'Find tables and columns' }).fill('onerror');
  const tree = page.getByRole('treegrid', { name: 'Databases, schemas, tables and columns' });
  await expect(tree.getByText(EVIL).first()).toBeVisible();

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill(`${EVIL} ${schema}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation', { name: 'Open worksheets' })).toContainText('onerror');

  const search = new URLSearchParams({ kind: 'table', database: 'DEMO', schema, name: EVIL });
  await page.goto(address(`/data?${search}`));
  await expect(page.getByRole('heading', { name: 'Data', level: 1 })).toBeVisible();
  await page.goto(address('/history'));
  await expect(page.getByRole('grid', { name: /^Statements/ })).toContainText('onerror');
  expect(
    await page.locator('img[src="x"], [onerror], [onclick], a[href^="javascript"]').count(),
  ).toBe(0);
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('a file name that holds markup is shown as text', async ({ console: page }) => {
  const name = `${encodeURIComponent('<img src=x onerror=alert(1)>')}.csv`;
  const kept = await fetch(
    address(`/api/v2/databases/DEMO/schemas/PUBLIC/stages/~/files/${name}`),
    {
      method: 'PUT',
      headers: { Authorization: `Bearer ${TOKEN}` },
      body: 'a\n1\n',
    },
  );
  expect(kept.ok).toBe(true);
  await page.goto(address('/data?files=own'));
  await expect(page.getByRole('table', { name: 'Files of @~' })).toContainText(
    '<img src=x onerror=alert(1)>.csv',
  );
  expect(await page.locator('img[src="x"]').count()).toBe(0);
});

test('models, answers, roles and policies that hold markup are shown as text', async ({
  console: page,
}) => {
  const role = `${unique('EVIL')} ${EVIL}`;
  const quoted = `"${role.replaceAll('"', '""')}"`;
  await sql(`CREATE ROLE ${quoted} COMMENT = '${EVIL}'`);
  await page.goto(address('/admin/roles'));
  await page.getByRole('button', { name: role }).click();
  await expect(page.getByRole('region', { name: 'Role', exact: true })).toContainText('onerror');
  await sql(`DROP ROLE ${quoted}`);

  await page.goto(address('/analyst'));
  const change = page.getByRole('button', { name: 'Ask something else' });
  if (await change.isVisible()) await change.click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload a YAML file' }).click();
  const model = {
    name: 'evil',
    description: EVIL,
    tables: [
      {
        name: 'orders',
        description: EVIL,
        base_table: { database: 'DEMO', schema: 'PUBLIC', table: 'ORDERS' },
        dimensions: [{ name: 'status', expr: `'${EVIL}'`, data_type: 'TEXT', synonyms: [EVIL] }],
        facts: [{ name: 'amount', expr: 'TOTAL_AMOUNT', data_type: 'NUMBER' }],
      },
    ],
    verified_queries: [
      {
        name: EVIL,
        question: `what is ${EVIL} worth`,
        sql: `SELECT '${EVIL}' AS status, 1 AS amount`,
        use_as_onboarding_question: true,
      },
    ],
  };
  await (await chooser).setFiles({
    name: `${EVIL.replaceAll('/', '')}.yaml`,
    mimeType: 'application/yaml',
    // JSON is YAML.
    buffer: Buffer.from(JSON.stringify(model, null, 1)),
  });
  await page.getByRole('button', { name: 'Ask it' }).click();
  await expect(page.getByRole('main')).toContainText('onerror');
  const field = page.getByRole('textbox', { name: /^Question about/ });
  await field.fill(`what is ${EVIL} worth`);
  await page.keyboard.press('Enter');
  const turn = page.getByRole('article').first();
  await expect(turn.locator('.turn-status')).not.toContainText('…');
  await expect(turn).toContainText('onerror');
  expect(await page.locator('img[src="x"], [onerror], a[href^="javascript"]').count()).toBe(0);
});
