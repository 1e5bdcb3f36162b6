// The pictures of the documents, written when FIRN_PICTURES=1 asks for them.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { address, expect, signIn, sql, test, unique } from './console';
import { cell, result, run } from './worksheet';

const BYTES_MAX = 150_000;

// Both are of the same user.
test.describe.configure({ mode: 'serial' });
test.use({ viewport: { width: 1200, height: 720 } });

test.skip(process.env.FIRN_PICTURES !== '1', 'pictures are written when FIRN_PICTURES=1');

/** Somebody with an ordinary name and nothing left from other tests. */
async function anna(page: Page, path: string): Promise<void> {
  await sql('DROP USER IF EXISTS ANNA');
  await sql("CREATE USER ANNA DEFAULT_NAMESPACE = 'DEMO.PUBLIC' DEFAULT_ROLE = SYSADMIN");
  await sql('GRANT ROLE SYSADMIN TO USER ANNA');
  await sql('GRANT ALL ON DATABASE DEMO TO ROLE SYSADMIN');
  await sql('GRANT USAGE ON SCHEMA DEMO.PUBLIC TO ROLE SYSADMIN');
  for (const kind of ['TABLES', 'VIEWS', 'SEMANTIC VIEWS']) {
    await sql(`GRANT SELECT ON ALL ${kind} IN SCHEMA DEMO.PUBLIC TO ROLE SYSADMIN`);
  }
  const [made] = await sql(`ALTER USER ANNA ADD PROGRAMMATIC ACCESS TOKEN ${unique('PICTURE')}`);
  await signIn(page, path, made?.[1] as string);
}

async function picture(page: Page, name: string): Promise<void> {
  const path = join(import.meta.dirname, '../../docs', name);
  await page.mouse.move(0, 0);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  expect(statSync(path).size).toBeLessThan(BYTES_MAX);
}

test('worksheets', async ({ guest: page }) => {
  await anna(page, '/worksheets');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Sales by segment');
  await page.keyboard.press('Enter');
  await run(
    page,
    `-- What each group of customers spends, month by month
SELECT DATE_TRUNC('month', o.ordered_at)::DATE AS month,
       c.segment,
       SUM(o.total_amount) AS revenue
FROM orders o
JOIN customers c ON c.customer_id = o.customer_id
WHERE o.status <> 'Cancelled'
GROUP BY ALL
ORDER BY month, segment;
`,
  );
  await expect(cell(page, 1, 1)).toBeVisible();
  await result(page).getByRole('button', { name: 'Chart', exact: true }).click();
  await expect(result(page).locator('.firn-chart canvas')).toBeVisible();
  await expect(page.getByRole('row', { name: 'CUSTOMERS', exact: true })).toBeVisible();
  await expect(page.locator('.save-state')).toHaveText('Saved');
  // The lines are drawn in a moment.
  await page.waitForTimeout(1500);
  await picture(page, 'console.png');
});

test('the analyst', async ({ guest: page }) => {
  await anna(page, '/');
  await page.goto(address('/analyst?question=What%20was%20the%20revenue%20by%20category%3F'));
  const turn = page.getByRole('article').first();
  await expect(turn.locator('.firn-chart canvas')).toBeVisible();
  await page.waitForTimeout(1500);
  await picture(page, 'analyst.png');
});
