import { readFileSync } from 'node:fs';
import { expect, expectAccessible, showIn, test } from './console';
import { result, run } from './worksheet';

const KINDS: readonly (readonly [string, string, string])[] = [
  ['one number', 'SELECT 1234567 AS total', 'number'],
  [
    'time and number',
    "SELECT DATEADD('month', SEQ4(), DATE '2024-01-01') AS month, UNIFORM(1, 9, 4) AS n FROM TABLE(GENERATOR(ROWCOUNT => 12))",
    'line',
  ],
  [
    'text and number',
    "SELECT * FROM VALUES ('a', 1.5), ('b', 2.5), ('c', 3.5) AS v(name, n)",
    'bar',
  ],
  [
    'years under any name',
    'SELECT YEAR(ordered_at) AS y, COUNT(*) AS n FROM DEMO.PUBLIC.ORDERS GROUP BY 1',
    'line',
  ],
  [
    'keys of many rows, each with a number',
    'SELECT SEQ4() AS id, SEQ4() * 2.5 AS y FROM TABLE(GENERATOR(ROWCOUNT => 60))',
    'scatter',
  ],
  [
    'two numbers',
    'SELECT SEQ4() * 1.5 AS x, SEQ4() * 2.5 AS y FROM TABLE(GENERATOR(ROWCOUNT => 60))',
    'scatter',
  ],
];

test('each kind of result has its first chart', async ({ console: page }) => {
  for (const [kind, statement, type] of KINDS) {
    await test.step(kind, async () => {
      await run(page, statement);
      await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
      const picker = page.getByRole('combobox', { name: 'Chart', exact: true });
      await expect(picker).toHaveValue(type);
      if (type === 'number') {
        await expect(page.locator('.firn-chart-numbers')).toContainText('1,234,567');
      } else await expect(page.locator('.firn-chart canvas')).toBeVisible();
    });
  }
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
});

test('the chart is switched, saved as a picture, and read as a table', async ({
  console: page,
}) => {
  await run(
    page,
    "SELECT * FROM VALUES ('north', 10), ('south', 20), ('west', 30) AS v(region, amount)",
  );
  await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
  const picker = page.getByRole('combobox', { name: 'Chart', exact: true });
  const picture = page.locator('.firn-chart canvas');
  for (const type of ['line', 'area', 'pie', 'bar']) {
    await picker.selectOption(type);
    await expect(picture).toBeVisible();
    await expect(page.locator('.firn-chart')).toContainText('west');
  }
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'PNG', exact: true }).click();
  const file = await download;
  const bytes = readFileSync(await file.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.length).toBeGreaterThan(2000);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
});

test('a chart says what it does not show, and puts the others together where they add up', async ({
  console: page,
}) => {
  const rows = 'FROM TABLE(GENERATOR(ROWCOUNT => 100))';
  const chart = page.locator('.firn-chart');
  const picker = page.getByRole('combobox', { name: 'Chart', exact: true });
  await run(page, `SELECT 'place ' || SEQ4() AS place, 2 AS amount ${rows}`);
  await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
  await expect(picker).toHaveValue('bar');
  await expect(chart).toContainText('The 29 greatest are shown; 71 stand together as others');
  await picker.selectOption('pie');
  await expect(chart).toContainText('The 11 greatest are shown; 89 stand together as others');
  await chart.getByText('Figures of the chart').click();
  await expect(chart.getByRole('row', { name: 'others 178' })).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
  await run(page, `SELECT 'place ' || SEQ4() AS place, 2.5 AS avg_price ${rows}`);
  await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
  await picker.selectOption('bar');
  await expect(chart).toContainText('Only the 30 greatest are drawn; 70 more');
  await run(
    page,
    `SELECT DATEADD('day', SEQ4(), DATE '2024-01-01') AS day, 2 AS n ${rows.replace('100', '500')}`,
  );
  await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
  await picker.selectOption('bar');
  await expect(chart).toContainText('Only the first 400 are drawn; 100 more');
});
