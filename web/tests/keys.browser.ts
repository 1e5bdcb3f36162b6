import { address, expect, sql, test, unique } from './console';
import { editor, write } from './worksheet';

test('the palette goes to pages, and the list of keys opens and gives the focus back', async ({
  console: page,
}) => {
  await write(page, 'SELECT 1');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('history');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing is called like this');
  await expect(page.getByText('Nothing is called like that.')).toBeVisible();
  // Whatever was typed, one Escape closes it.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goBack();
  await editor(page).focus();
  await page.keyboard.press('Control+Shift+?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await expect(keys).toContainText('Run all');
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('F6');
  await expect(editor(page)).not.toBeFocused();
  await page.keyboard.press('Shift+F6');
  await expect(editor(page)).toBeFocused();
});

test('the keys of the editor do what people expect of them', async ({ console: page }) => {
  await write(page, 'SELECT word, word FROM VALUES (1) AS v(word)');
  // Saved already: no dialog of the browser comes up, and the page says so.
  await page.keyboard.press('Control+s');
  await expect(page.locator('.save-state')).toHaveText('Saved');

  await editor(page).press('Control+Home');
  for (let letter = 0; letter < 'SELECT '.length; letter += 1) {
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Control+d');
  await page.keyboard.press('Control+d');
  await page.keyboard.type('w');
  await expect(editor(page)).toHaveText('SELECT w, w FROM VALUES (1) AS v(word)');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Escape');

  // Tab leaves the editor, unless Ctrl+M makes it indent.
  await page.keyboard.press('Tab');
  await expect(editor(page)).not.toBeFocused();
  await editor(page).focus();
  await page.keyboard.press('Control+m');
  await editor(page).press('Control+Home');
  await page.keyboard.press('Tab');
  await expect(editor(page)).toBeFocused();
  await expect(editor(page)).toHaveText(/^ {2}SELECT/);
  await page.keyboard.press('Control+m');
  await page.keyboard.press('Tab');
  await expect(editor(page)).not.toBeFocused();
});

test('Alt and a number go to a worksheet and into its editor', async ({ console: page }) => {
  const tabs = page.getByRole('navigation', { name: 'Open worksheets' }).getByRole('listitem');
  await expect(editor(page)).toBeVisible();
  const before = await tabs.count();
  await page.keyboard.press('Alt+T');
  await expect(tabs).toHaveCount(before + 1);
  await expect(editor(page)).toBeFocused();
  await page.keyboard.type('SELECT 22');
  await expect(editor(page)).toContainText('SELECT 22');
  await page.keyboard.press('Alt+1');
  await expect(editor(page)).not.toContainText('SELECT 22');
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press(`Alt+${await tabs.count()}`);
  await expect(editor(page)).toContainText('SELECT 22');
  await expect(editor(page)).toBeFocused();
});

test('Escape cancels what runs, and a question mark lists the keys', async ({ console: page }) => {
  await write(
    page,
    'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 2000000)) a CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 2000000)) b WHERE RANDOM() = 1',
  );
  await editor(page).press('Control+Enter');
  await expect(page.getByRole('button', { name: /^Cancel/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.result-head')).toContainText('cancelled');
  // While typing it is a letter.
  await editor(page).press('Control+End');
  await page.keyboard.type('?');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('link', { name: 'History' }).focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
});

test('the palette finds worksheets and tables from every page', async ({ console: page }) => {
  const name = unique('FOUND');
  await sql(`CREATE TABLE FIRN.PUBLIC.${name} (A NUMBER)`, 'FIRN');
  await page.goto(address('/admin/users'));
  await expect(page.getByRole('heading', { name: 'Admin', level: 1 })).toBeVisible();
  const listed = page.waitForResponse(
    (one) => one.request().postData()?.includes('FIRN.INFORMATION_SCHEMA.COLUMNS') ?? false,
  );
  await page.keyboard.press('Control+k');
  await (await listed).finished();
  await page.keyboard.type(name.toLowerCase());
  await expect(page.getByRole('option', { name: `FIRN.PUBLIC.${name}` })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await sql(`DROP TABLE FIRN.PUBLIC.${name}`, 'FIRN');
});

test('the palette finds tables of every database at once', async ({ console: page }) => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('customers');
  const palette = page.getByRole('dialog', { name: 'Go to anything' });
  await expect(
    palette.getByRole('option', { name: 'DEMO.PUBLIC.CUSTOMERS' }).first(),
  ).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('nothing is called like this');
  await expect(palette).toContainText('Nothing is called like that.');
});
