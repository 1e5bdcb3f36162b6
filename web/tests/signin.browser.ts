import { address, expect, expectAccessible, showIn, signIn, sql, test, unique } from './console';
import { TOKEN } from './server';
import { editor, write } from './worksheet';

test('a wrong token is refused in words, the right one signs in by keyboard alone', async ({
  guest,
}) => {
  await guest.goto(address('/'));
  const token = guest.getByLabel('Token', { exact: true });
  await expect(token).toBeFocused();
  await guest.keyboard.type('firn_pat_wrong');
  await guest.keyboard.press('Enter');
  await expect(guest.getByText('The server does not take this token.')).toBeVisible();
  await expectAccessible(guest);
  await token.fill(TOKEN);
  await guest.keyboard.press('Enter');
  await expect(guest.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await expect(guest.getByRole('button', { name: 'User ADMIN' })).toBeVisible();
});

test('signing out with an access token ends no session of a password', async ({
  console: page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole('button', { name: 'User ADMIN' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
  expect(asked).not.toContain('/api/v2/logout');
});

test('a user signs in with a password, and signs out', async ({ guest }) => {
  const user = unique('PERSON');
  await sql(`CREATE USER ${user} PASSWORD = 'Correct-horse-9' MUST_CHANGE_PASSWORD = FALSE`);
  await guest.goto(address('/'));
  await guest.getByRole('tab', { name: 'User and password' }).click();
  await guest.getByLabel('User', { exact: true }).fill(user.toLowerCase());
  await guest.getByLabel('Password', { exact: true }).fill('wrong');
  await guest.keyboard.press('Enter');
  await expect(guest.getByText('User and password do not match')).toBeVisible();
  await guest.getByLabel('Password', { exact: true }).fill('Correct-horse-9');
  await guest.keyboard.press('Enter');
  const ended = guest.waitForResponse((one) => one.url().endsWith('/api/v2/logout'));
  await guest.getByRole('button', { name: `User ${user}` }).click();
  await guest.getByRole('menuitem', { name: 'Sign out' }).click();
  expect((await ended).ok()).toBe(true);
  await expect(guest.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
  await guest.reload();
  await expect(guest.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
  await sql(`DROP USER ${user}`);
});

test('a password that must be changed is changed at the first sign-in', async ({ guest }) => {
  const user = unique('NEWCOMER');
  await sql(`CREATE USER ${user} PASSWORD = 'Correct-horse-9' MUST_CHANGE_PASSWORD = TRUE`);
  await guest.goto(address('/'));
  await guest.getByRole('tab', { name: 'User and password' }).click();
  await guest.getByLabel('User', { exact: true }).fill(user);
  await guest.getByLabel('Password', { exact: true }).fill('Correct-horse-9');
  await guest.keyboard.press('Enter');
  await guest.getByLabel('New password').fill('Battery-staple-10');
  await guest.getByRole('button', { name: 'Change the password and sign in' }).click();
  await expect(guest.getByRole('button', { name: `User ${user}` })).toBeVisible();
  await sql(`DROP USER ${user}`);
});

test('the demand for a new password is dropped with the user it was made of', async ({ guest }) => {
  const [newcomer, other] = [unique('NEWCOMER'), unique('SETTLED')];
  await sql(`CREATE USER ${newcomer} PASSWORD = 'Correct-horse-9' MUST_CHANGE_PASSWORD = TRUE`);
  await sql(`CREATE USER ${other} PASSWORD = 'Correct-horse-8' MUST_CHANGE_PASSWORD = FALSE`);
  await guest.goto(address('/'));
  await guest.getByRole('tab', { name: 'User and password' }).click();
  await guest.getByLabel('User', { exact: true }).fill(newcomer);
  await guest.getByLabel('Password', { exact: true }).fill('Correct-horse-9');
  await guest.keyboard.press('Enter');
  await guest.getByLabel('New password').fill('Battery-staple-10');
  await guest.getByLabel('User', { exact: true }).fill(other);
  await expect(guest.getByLabel('New password')).toHaveCount(0);
  await guest.getByLabel('Password', { exact: true }).fill('Correct-horse-8');
  await guest.getByRole('button', { name: 'Sign in', exact: true }).click();
  const person = guest.getByRole('button', { name: `User ${other}` });
  await person.click();
  await guest.getByRole('menuitem', { name: 'Sign out' }).click();
  await guest.getByRole('tab', { name: 'User and password' }).click();
  await guest.getByLabel('User', { exact: true }).fill(other);
  await guest.getByLabel('Password', { exact: true }).fill('Correct-horse-8');
  await guest.keyboard.press('Enter');
  await expect(person).toBeVisible();
  await sql(`DROP USER ${newcomer}`);
  await sql(`DROP USER ${other}`);
});

test('the link takes the token out of the address, and a reload stays signed in', async ({
  guest,
}) => {
  await signIn(guest, '/worksheets');
  expect(guest.url()).toBe(address('/worksheets'));
  const kept = await guest.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(kept).not.toContain(TOKEN);
  expect(await guest.evaluate(() => document.cookie)).toBe('');
  await guest.reload();
  await expect(editor(guest)).toBeVisible();
});

test('a refused token leads to sign-in, and what was typed is there afterwards', async ({
  guest,
}) => {
  const user = unique('EXPIRING');
  await sql(`CREATE USER ${user}`);
  const [made] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN one`);
  const token = made?.[1] as string;
  await signIn(guest, '/', token);
  await expect(guest.getByRole('button', { name: `User ${user}` })).toBeVisible();
  await write(guest, "SELECT 'typed before the token ended'");
  await sql(`ALTER USER ${user} REMOVE PROGRAMMATIC ACCESS TOKEN one`);
  await editor(guest).press('Control+Enter');
  await expect(guest.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
  const [again] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN two`);
  await guest.getByLabel('Token', { exact: true }).fill(again?.[1] as string);
  await guest.keyboard.press('Enter');
  await expect(editor(guest)).toHaveText("SELECT 'typed before the token ended'");
  await sql(`DROP USER ${user}`);
});

for (const theme of ['light', 'dark'] as const) {
  test(`sign-in is clean for axe in the ${theme} theme`, async ({ guest }) => {
    await showIn(guest, theme);
    await guest.goto(address('/'));
    await expectAccessible(guest);
    await guest.getByRole('tab', { name: 'User and password' }).click();
    await expect(guest.getByLabel('Password', { exact: true })).toBeVisible();
    await expectAccessible(guest);
  });
}

test('who has no default warehouse works in the first that may be used', async ({ guest }) => {
  const user = unique('PLAIN');
  await sql(`CREATE USER ${user} DEFAULT_ROLE = PUBLIC`);
  const [made] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN one`);
  await signIn(guest, '/', made?.[1] as string);
  await expect(guest.getByRole('button', { name: 'Warehouse: COMPUTE_WH' })).toBeVisible();
  await write(guest, 'SELECT 7 * 6');
  await editor(guest).press('Control+Enter');
  await expect(guest.getByRole('gridcell', { name: '42' })).toBeVisible();
  await guest.goto(address('/history'));
  await expect(guest.getByRole('grid', { name: /^Statements/ })).toContainText('SELECT 7 * 6');
  await sql(`DROP USER ${user}`);
});

test('the link signs in where the sign-in page is open, too', async ({ guest }) => {
  await guest.goto(address('/history'));
  await expect(guest.getByRole('heading', { name: 'Sign in to firn' })).toBeVisible();
  await guest.evaluate((token) => {
    location.hash = `token=${token}`;
  }, TOKEN);
  await expect(guest.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  expect(guest.url()).toBe(address('/history'));
});

test('a link whose token is refused says so, and ends no session', async ({ guest }) => {
  const refused = guest.getByText('The server does not take this token.');
  const pages = guest.getByRole('navigation', { name: 'Pages' });
  await guest.goto(address('/history#token=WRONG'));
  await expect(refused).toBeVisible();
  await guest.getByLabel('Token', { exact: true }).fill('żółw');
  await guest.keyboard.press('Enter');
  await expect(refused).toHaveCount(2);
  await signIn(guest, '/history');
  await guest.goto(address('/data#token=WRONG'));
  await expect(guest.getByRole('region', { name: 'Notices' })).toContainText('this token');
  await expect(pages).toBeVisible();
  expect(guest.url()).toBe(address('/data'));
  await guest.reload();
  await expect(pages).toBeVisible();
});

test('who sees no database keeps worksheets, files and a history', async ({
  guest,
  another,
  browser,
}) => {
  const user = unique('ALONE');
  await sql(`CREATE USER ${user} DEFAULT_ROLE = PUBLIC`);
  const [made] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN one`);
  const token = made?.[1] as string;
  await signIn(guest, '/', token);
  const text = `SELECT '${unique('MINE')}'`;
  await write(guest, text);
  await expect(guest.getByText('Saved', { exact: true })).toBeVisible();
  await editor(guest).press('Control+Enter');
  await expect(guest.getByRole('gridcell', { name: /MINE/ })).toBeVisible();
  const elsewhere = await browser.newContext();
  const page = await another(elsewhere);
  await signIn(page, '/data?files=own', token);
  await page.getByRole('button', { name: 'worksheets/' }).click();
  await expect(page.getByRole('row', { name: /\.sql/ })).toBeVisible();
  await page.goto(address('/history'));
  await expect(page.getByRole('grid', { name: /^Statements/ })).toContainText(text);
  await page.goto(address('/analyst'));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Kept in this browser only')).toHaveCount(0);
  await elsewhere.close();
  await sql(`DROP USER ${user}`);
});
