import { expect, test } from './console';
import { cell, editor, grid, head, putCursor, result, run, runHere, write } from './worksheet';

const THREE = 'SELECT 11 AS a;\nSELECT 22 AS b;\n\nSELECT 33 AS c;';

test('the statement at the cursor, a selection, and all are run', async ({ console: page }) => {
  await write(page, THREE);
  await putCursor(page, 'SELECT 22');
  await runHere(page);
  await expect(cell(page, 1, 1)).toHaveText('22');
  await expect(head(page)).toContainText('1 row');

  await page.keyboard.press('Control+End');
  await runHere(page);
  await expect(cell(page, 1, 1)).toHaveText('33');

  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Run 2 selected' }).click();
  const statements = result(page).getByRole('navigation', { name: 'Statements of the run' });
  await expect(statements.getByRole('button')).toHaveCount(2);

  await page.getByRole('button', { name: 'Run all 3' }).click();
  await expect(statements.getByRole('button', { name: /succeeded/ })).toHaveCount(3);
  for (const [number, value] of [
    [1, '11'],
    [2, '22'],
    [3, '33'],
  ] as const) {
    await statements.getByRole('button', { name: new RegExp(`^Statement ${number},`) }).click();
    await expect(cell(page, 1, 1)).toHaveText(value);
  }
});

test('the first failure of a script is opened, marked at its place, and earlier results stay', async ({
  console: page,
}) => {
  await write(
    page,
    'SELECT 1 AS one;\nSELECT 2,\n  missing_column FROM DEMO.PUBLIC.ORDERS;\nSELECT 3;',
  );
  await editor(page).press('Control+Shift+Enter');
  const statements = result(page).getByRole('navigation', { name: 'Statements of the run' });
  await expect(statements.getByRole('button', { name: /^Statement 2, failed/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(result(page)).toContainText(/missing_column/i);
  await expect(statements.getByRole('button', { name: /^Statement 3, did not run/ })).toBeVisible();
  await statements.getByRole('button', { name: /^Statement 1, succeeded/ }).click();
  await expect(cell(page, 1, 1)).toHaveText('1');
  await statements.getByRole('button', { name: /^Statement 2/ }).click();
  await expect(page.locator('.cm-lintRange-error')).toHaveCount(1);
  await expect(page.locator('.cm-line', { has: page.locator('.cm-lintRange-error') })).toHaveText(
    /missing_column/,
  );
  await page.getByRole('button', { name: /in the editor|line [0-9]/i }).click();
  await expect(editor(page)).toBeFocused();
});

test('a long statement shows its time and is cancelled on the server by keys', async ({
  console: page,
}) => {
  await write(
    page,
    'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a\n' +
      'CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1',
  );
  await runHere(page);
  await expect(page.getByRole('button', { name: /^Cancel · \d+\.\d s/ })).toBeVisible();
  await expect(head(page)).toContainText(/\d+\.\d s/);
  await page.keyboard.press('Control+.');
  await expect(head(page)).toContainText('cancelled');
  await expect(page.getByRole('button', { name: 'Run statement' })).toBeVisible();
});

test('what has no rows is told in words', async ({ console: page }) => {
  await run(page, 'SELECT 1 AS a WHERE FALSE');
  await expect(head(page)).toContainText('0 rows');
  await expect(result(page)).toContainText('No rows');
  await write(page, '-- nothing but a comment');
  await expect(page.getByRole('button', { name: 'Run statement' })).toBeDisabled();
});

test('USE moves the pickers, and the pickers move what is run', async ({ console: page }) => {
  await write(page, 'USE SCHEMA SNOWFLAKE.INFORMATION_SCHEMA');
  await runHere(page);
  const picker = page.getByRole('button', { name: /^Database and schema:/ });
  await expect(picker).toContainText('SNOWFLAKE.INFORMATION_SCHEMA');
  await picker.click();
  await page.getByRole('combobox', { name: 'Find a schema' }).fill('demo.pub');
  await page.getByRole('option', { name: 'DEMO.PUBLIC' }).click();
  await expect(picker).toContainText('DEMO.PUBLIC');
  await run(page, 'SELECT CURRENT_DATABASE(), CURRENT_SCHEMA()');
  await expect(cell(page, 1, 1)).toHaveText('DEMO');
  await expect(cell(page, 1, 2)).toHaveText('PUBLIC');

  await page.getByRole('button', { name: /^Role:/ }).click();
  await page.getByRole('menuitemradio', { name: 'PUBLIC', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Role: PUBLIC' })).toBeVisible();
});

test('tables and columns are completed', async ({ console: page }) => {
  await run(page, 'SELECT 1');
  await editor(page).fill('');
  await page.keyboard.type('SELECT * FROM DEMO.PUBLIC.ORDE');
  const list = page.locator('.cm-tooltip-autocomplete');
  await expect(list.getByText('ORDERS', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  // Behind a database its schemas are offered at once.
  await editor(page).fill('');
  await page.keyboard.type('select * from demo.');
  await expect(list.getByRole('option').first()).toHaveText(/^public/);
  await page.keyboard.press('Escape');
  await editor(page).fill('');
  await page.keyboard.type('SELECT o.total_am FROM DEMO.PUBLIC.ORDERS o');
  for (let at = 0; at < ' FROM DEMO.PUBLIC.ORDERS o'.length; at += 1) {
    await page.keyboard.press('ArrowLeft');
  }
  await page.keyboard.press('Control+Space');
  await expect(list.getByRole('option', { name: /total_amount/i }).first()).toBeVisible();
  // A list that has just come up does not take Enter yet, so that nobody takes a word unseen.
  await page.waitForTimeout(300);
  await page.keyboard.press('Enter');
  await expect(editor(page)).toHaveText(/o\.total_amount FROM/i);
});

test('the schema picker finds a database by its name, and its own schema before INFORMATION_SCHEMA', async ({
  console: page,
}) => {
  const picker = page.getByRole('button', { name: /^Database and schema:/ });
  await picker.click();
  await page.getByRole('option', { name: 'SNOWFLAKE.INFORMATION_SCHEMA' }).click();
  await expect(picker).toContainText('SNOWFLAKE');
  await picker.click();
  await page.keyboard.type('demo');
  await page.keyboard.press('Enter');
  await expect(picker).toContainText('DEMO.PUBLIC');
});

test('text is formatted, commented and found by keys', async ({ console: page }) => {
  await write(page, 'select a,b from t where a=1');
  await page.keyboard.press('Shift+Alt+F');
  await expect(page.locator('.worksheet-editor .cm-line').nth(2)).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+/');
  await expect(page.locator('.worksheet-editor .cm-line').first()).toHaveText(/^-- /);
  await page.keyboard.press('Control+f');
  await expect(page.locator('.cm-search input').first()).toBeFocused();
});

test('the tree unfolds, and a table shows its rows', async ({ console: page }) => {
  const tree = page.getByRole('treegrid', { name: 'Databases, schemas, tables and columns' });
  await expect(tree.getByRole('row', { name: 'DEMO', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find tables and columns' }).fill('customers');
  const row = tree.getByRole('row', { name: 'CUSTOMERS', exact: true });
  await row.hover();
  await row.getByRole('button', { name: 'What to do with CUSTOMERS' }).click();
  await page.getByRole('menuitem', { name: 'Show 100 rows' }).click();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '101');
});

test('a syntax error in a script is the one of its statement and its line', async ({
  console: page,
}) => {
  await write(page, 'select 1;\nselect 2\nfrom where x;');
  await editor(page).press('Control+Shift+Enter');
  await expect(head(page)).toContainText('failed');
  const statements = result(page).getByRole('navigation', { name: 'Statements of the run' });
  await expect(statements.getByRole('button', { name: /^Statement 1, did not run/ })).toBeVisible();
  await expect(statements.getByRole('button', { name: /^Statement 2, failed/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(result(page)).toContainText('line 3 at position 5');
  await expect(result(page).getByRole('button', { name: 'Go to line 3' })).toBeVisible();
});

test('a table that does not exist is marked, also behind characters of two units', async ({
  console: page,
}) => {
  await write(page, "select '🎉🎉' a\nfrom nosuch_table");
  await runHere(page);
  await expect(head(page)).toContainText('failed');
  await expect(page.locator('.cm-lintRange-error')).toHaveText('nosuch_table');
  await write(page, "select '🎉🎉🎉🎉' a, bad from demo.public.orders");
  await runHere(page);
  await expect(page.locator('.cm-lintRange-error')).toHaveText('bad');
});
