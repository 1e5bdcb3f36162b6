import { expect, expectAccessible, signIn, sql, test, unique } from './console';
import { editor, write } from './worksheet';

/** A user of its own, so that the worksheets of other tests do not stand between. */
async function person(): Promise<string> {
  const user = unique('WRITER');
  await sql(`CREATE USER ${user} DEFAULT_NAMESPACE = 'DEMO.PUBLIC' DEFAULT_ROLE = ACCOUNTADMIN`);
  await sql(`GRANT ROLE ACCOUNTADMIN TO USER ${user}`);
  const [made] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN one`);
  return made?.[1] as string;
}

test('a worksheet is kept on the server, there after a reload and in another browser', async ({
  guest,
  another,
  browser,
}) => {
  const token = await person();
  await signIn(guest, '/', token);
  await write(guest, "SELECT 'kept'");
  await expect(guest.locator('.save-state')).toHaveText('Saved');
  await guest.reload();
  await expect(editor(guest)).toHaveText("SELECT 'kept'");

  await guest.getByRole('button', { name: 'More' }).click();
  await guest.getByRole('menuitem', { name: 'Rename' }).click();
  await guest.getByLabel('Name', { exact: true }).fill('My report');
  await guest.keyboard.press('Enter');
  const tabs = guest.getByRole('navigation', { name: 'Open worksheets' });
  await expect(tabs.getByRole('button', { name: 'My report', exact: true })).toBeVisible();
  await expect(editor(guest)).toHaveAccessibleName('SQL of My report');
  await expect(guest.locator('.save-state')).toHaveText('Saved');

  const elsewhere = await browser.newContext();
  const other = await another(elsewhere);
  await signIn(other, '/', token);
  await other.getByRole('button', { name: 'Worksheets', exact: true }).click();
  await other.getByRole('row', { name: 'My report' }).click();
  await expect(editor(other)).toHaveText("SELECT 'kept'");

  // Both write: the second is asked.
  await write(other, "SELECT 'theirs'");
  await expect(other.locator('.save-state')).toHaveText('Saved');
  await write(guest, "SELECT 'mine'");
  const question = guest.getByRole('alertdialog');
  await expect(question).toContainText('was changed elsewhere');
  await expect(question).toContainText("SELECT 'mine'");
  await expect(question).toContainText("SELECT 'theirs'");
  await expectAccessible(guest);
  await question.getByRole('button', { name: 'Keep both' }).click();
  await expect(editor(guest)).toHaveText("SELECT 'mine'");
  await expect(guest.locator('.save-state')).toHaveText('Saved');
  await tabs.getByRole('button', { name: 'My report', exact: true }).click();
  await expect(editor(guest)).toHaveText("SELECT 'theirs'");
  await elsewhere.close();
});

test('tabs are opened, changed and closed by keys, and deleting is undone', async ({ guest }) => {
  await signIn(guest, '/', await person());
  await write(guest, 'SELECT 1');
  await guest.keyboard.press('Alt+t');
  const tabs = guest.getByRole('navigation', { name: 'Open worksheets' });
  await expect(tabs.getByRole('listitem')).toHaveCount(2);
  await expect(editor(guest)).toBeFocused();
  await write(guest, 'SELECT 2');
  await guest.keyboard.press('Alt+1');
  await expect(editor(guest)).toHaveText('SELECT 1');
  await guest.keyboard.press('Alt+2');
  await expect(editor(guest)).toHaveText('SELECT 2');
  await guest.keyboard.press('Alt+w');
  await expect(tabs.getByRole('listitem')).toHaveCount(1);
  await guest.getByRole('button', { name: 'More' }).click();
  await guest.getByRole('menuitem', { name: 'Delete' }).click();
  await guest.getByRole('button', { name: 'Undo' }).click();
  await expect(editor(guest)).toHaveText('SELECT 1');
});
