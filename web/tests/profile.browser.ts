import { expect, expectAccessible, showIn, sql, test } from './console';
import { editor, grid, result, run, write } from './worksheet';

const view = (page: import('@playwright/test').Page, name: string) =>
  result(page).getByRole('button', { name, exact: true });

const steps = (page: import('@playwright/test').Page) =>
  result(page).getByRole('list', { name: 'Steps' });

test('the profile of a result is one click away, as a picture and as a list', async ({
  console: page,
}) => {
  await run(
    page,
    'SELECT s.country, COUNT(*) AS n FROM DEMO.PUBLIC.ORDERS o\n' +
      '  JOIN DEMO.PUBLIC.STORES s ON s.store_id = o.store_id GROUP BY 1 ORDER BY 2 DESC',
  );
  await view(page, 'Profile').click();
  const picture = result(page).getByRole('region', { name: /^Picture of the steps/ });
  await expect(picture).toBeVisible();
  await expect(picture.locator('.profile-box')).not.toHaveCount(0);
  await expect(picture.locator('.profile-rows').first()).toHaveText(/\d/);
  await expect(result(page).locator('.profile-head')).toContainText(/\d+ steps, \d/);
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
  await result(page).getByRole('button', { name: 'As a list' }).click();
  await expect(picture).toHaveCount(0);
  await expect(steps(page)).toContainText(/ORDERS/i);
  await expect(steps(page)).toContainText(/\d rows?, .*%/);
  await expectAccessible(page);

  // Rows are still there, and the profile is not measured again.
  await view(page, 'Table').click();
  await expect(grid(page)).toBeVisible();
  const asked: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()));
  await view(page, 'Profile').click();
  await expect(picture).toBeVisible();
  expect(asked).toEqual([]);

  // Who looks at the profile sees that of the next run itself.
  await editor(page).press('Control+Enter');
  await expect(result(page).locator('.state-succeeded')).toBeVisible();
  await expect(picture).toBeVisible();
  expect(asked).toHaveLength(1);
});

for (const [what, text, table] of [
  ['a statement', 'SELECT COUNT(*) FROM DEMO.PUBLIC.REGIONS', /REGIONS/i],
  ['a script', 'SELECT 1 AS one;\nSELECT COUNT(*) FROM DEMO.PUBLIC.STORES;', /STORES/i],
] as const) {
  test(`${what} that runs with a profile again has that of its own run`, async ({
    console: page,
  }) => {
    const profiles: string[] = [];
    page.on('response', (response) => {
      const handle = /statements\/([^/]+)\/profile$/.exec(response.url())?.[1];
      if (handle && response.status() === 200) profiles.push(handle);
    });
    const shown = result(page).getByRole('button', { name: /^Copy the query id/ });
    const query = async () => (await shown.getAttribute('aria-label'))?.split(' ').at(-1) ?? '';
    await run(page, text);
    await view(page, 'Profile').click();
    await expect(steps(page)).toContainText(table);
    const seen = [await query()];
    for (let round = 0; round < 3; round += 1) {
      await editor(page).press('Control+Shift+Enter');
      // What is shown is the profile of this very run.
      await expect.poll(async () => seen.includes(await query())).toBe(false);
      await expect.poll(async () => profiles.includes(await query())).toBe(true);
      await expect(steps(page)).toContainText(table);
      seen.push(await query());
    }
  });
}

test('each statement of a script has its profile, where its USE led', async ({ console: page }) => {
  await run(page, 'USE SCHEMA DEMO.PUBLIC;\nSELECT COUNT(*) FROM REGIONS;\nSELECT 2 AS two;');
  const statements = result(page).getByRole('navigation', { name: 'Statements of the run' });
  await statements.getByRole('button', { name: /^Statement 2,/ }).click();
  await view(page, 'Profile').click();
  await expect(steps(page)).toContainText(/REGIONS/i);
});

test('what would change something is not run again for its profile', async ({ console: page }) => {
  await sql('CREATE OR REPLACE SEQUENCE DEMO.PUBLIC.PROFILED_SEQUENCE');
  await run(page, 'SELECT DEMO.PUBLIC.PROFILED_SEQUENCE.NEXTVAL AS n');
  await view(page, 'Profile').click();
  await expect(result(page)).toContainText('It ran without a profile');
  await expect(result(page).getByRole('button', { name: /^Run it once more/ })).toHaveCount(0);
  const [row] = await sql('SELECT DEMO.PUBLIC.PROFILED_SEQUENCE.NEXTVAL');
  expect(row?.[0]).toBe('2');
  await write(page, 'SELECT 1');
});
