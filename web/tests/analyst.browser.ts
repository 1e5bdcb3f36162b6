import type { Page } from '@playwright/test';
import { address, expect, expectAccessible, showIn, sql, test, unique } from './console';
import { TOKEN } from './server';
import { editor } from './worksheet';

const turns = (page: Page) => page.getByRole('article');

const question = (page: Page) => page.getByRole('textbox', { name: /^Question about/ });

async function ask(page: Page, text: string): Promise<void> {
  await question(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Opens the page with the demo's model and asks at once. */
async function askDemo(page: Page, text: string): Promise<void> {
  await page.goto(address(`/analyst?question=${encodeURIComponent(text)}`));
  await expect(turns(page).first()).toContainText(text);
}

test('status, text and SQL arrive as they stream; rows and chart stand beside them', async ({
  console: page,
}) => {
  await page.goto(address('/analyst?view=DEMO.PUBLIC.RETAIL'));
  await expect(question(page)).toBeFocused();
  // Every state that the answer is seen in, as it changes.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const text = document.querySelector('.turn-status')?.textContent?.trim();
      if (text && seen.at(-1) !== text) seen.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const streamed = page.waitForResponse((one) => one.url().includes('/analyst/message'));
  await ask(page, 'What was the revenue by month?');
  expect((await streamed).headers()['content-type']).toContain('text/event-stream');
  const turn = turns(page).first();
  await expect(turn.locator('.turn-status')).toContainText(
    /Answered in .*Sure, confidence 0\.\d\d/,
  );
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.length).toBeGreaterThan(1);
  expect(seen[0]).toMatch(/…$/);
  await expect(turn.locator('.turn-restatement')).toContainText(/revenue/i);
  await expect(turn.getByRole('grid')).toBeVisible();
  await expect(turn.locator('.firn-chart canvas')).toBeVisible();
  await expect(turn.locator('.cm-content')).toContainText('SELECT');
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }

  // By the last question, with the arrow.
  await question(page).focus();
  await page.keyboard.press('ArrowUp');
  await expect(question(page)).toHaveValue('What was the revenue by month?');
  await question(page).fill('');
  await turn.getByRole('button', { name: 'Edit in worksheet' }).click();
  await expect(editor(page)).toContainText('SELECT');
});

test('another reading is one click away, and so is the way back', async ({ console: page }) => {
  await askDemo(page, 'amount by store');
  const turn = turns(page).first();
  // As its text says.
  await expect(turn.locator('.turn-status')).toContainText(/Not sure, confidence 0\.8/);
  await expect(turn).toContainText('I am not sure of this reading');
  // Unasked, since the analyst is not sure.
  await expect(turn.getByRole('heading', { name: 'Other readings' })).toBeVisible();
  await expect(turn.getByRole('table', { name: /words of the question/ })).toContainText('store');
  const first = await turn.locator('.turn-restatement').innerText();
  const reading = turn.locator('.reading-choice').first();
  const words = await reading.innerText();
  await turn.getByRole('button', { name: `SQL of: ${words}` }).click();
  await expect(turn.getByLabel(`SQL of: ${words}`).last()).toContainText('SELECT');
  await expectAccessible(page);
  await reading.click();
  await expect(turn.locator('.turn-restatement')).toHaveText(words);
  await expect(turn.locator('.turn-status')).toContainText('another reading, chosen by you');
  await expect(turn.getByRole('grid')).toBeVisible();
  await turn.getByRole('button', { name: 'Back to the first reading' }).click();
  await expect(turn.locator('.turn-restatement')).toHaveText(first);
});

test('another join is a reading of its own: the buyer or the seller', async ({ console: page }) => {
  const schema = unique('TRADES');
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE STAGE DEMO.${schema}.KEPT`);
  await sql(
    `CREATE TABLE DEMO.${schema}.PARTIES AS SELECT * FROM VALUES (1, 'Bern'), (2, 'Oslo') AS v(party_id, city)`,
  );
  await sql(
    `CREATE TABLE DEMO.${schema}.TRADES AS SELECT * FROM VALUES (1, 1, 2, 10), (2, 1, 2, 20), (3, 2, 1, 5) AS v(trade_id, buyer_id, seller_id, amount)`,
  );
  const table = (name: string) => `{database: DEMO, schema: ${schema}, table: ${name}}`;
  const model = [
    'name: trades',
    'tables:',
    '- name: parties',
    `  base_table: ${table('PARTIES')}`,
    '  primary_key: {columns: [party_id]}',
    '  dimensions:',
    '  - {name: party_id, expr: party_id, data_type: NUMBER, unique: true}',
    '  - {name: city, expr: city, data_type: VARCHAR}',
    '- name: trades',
    `  base_table: ${table('TRADES')}`,
    '  primary_key: {columns: [trade_id]}',
    '  dimensions:',
    '  - {name: trade_id, expr: trade_id, data_type: NUMBER, unique: true}',
    '  - {name: buyer_id, expr: buyer_id, data_type: NUMBER}',
    '  - {name: seller_id, expr: seller_id, data_type: NUMBER}',
    '  facts:',
    '  - {name: amount, expr: amount, data_type: NUMBER, default_aggregation: sum}',
    'relationships:',
    ...['buyer', 'seller'].flatMap((role) => [
      `- name: ${role}s`,
      '  left_table: trades',
      '  right_table: parties',
      `  relationship_columns: [{left_column: ${role}_id, right_column: party_id}]`,
    ]),
  ].join('\n');
  const put = await fetch(
    address(`/api/v2/databases/DEMO/schemas/${schema}/stages/KEPT/files/trades.yaml`),
    { method: 'PUT', headers: { Authorization: `Bearer ${TOKEN}` }, body: model },
  );
  expect(put.status).toBe(200);
  await page.goto(address('/analyst'));
  const change = page.getByRole('button', { name: 'Ask something else' });
  if (await change.isVisible()) await change.click();
  await page.getByRole('grid', { name: 'YAML files on stages' }).getByText(schema).first().click();
  await ask(page, 'total amount by city');
  const turn = turns(page).first();
  const text = turn.locator('.cm-content');
  const cell = (row: number) =>
    turn.getByRole('grid').locator(`[aria-rowindex="${row + 1}"] [aria-colindex="3"]`);
  const amounts = async () =>
    (await Promise.all([1, 2].map((row) => cell(row).innerText()))).sort();
  await expect(turn.getByRole('grid')).toBeVisible();
  expect(await amounts()).toEqual(['30', '5']);
  const other = turn.locator('.reading-choice', { hasText: 'of the seller' });
  await expect(other).toHaveCount(1);
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
  const before = await turn.getByRole('grid').innerText();
  await other.click();
  await expect(turn.locator('.turn-status')).toContainText('another reading, chosen by you');
  await expect(text).toContainText('seller_id');
  await expect.poll(() => turn.getByRole('grid').innerText()).not.toBe(before);
  expect(await amounts()).toEqual(['30', '5']);
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('what was not used is said, and what cannot be answered is no error', async ({
  console: page,
}) => {
  await askDemo(page, 'average rating by happy supplier');
  const turn = turns(page).first();
  await expect(turn).toContainText('‘happy’');
  const meant = turn.getByRole('list', { name: 'Which of these is meant?' });
  await meant.getByRole('button').first().click();
  await expect(turns(page).nth(1).locator('.turn-status')).toContainText('Answered');
  await expect(turns(page).nth(1).getByRole('grid')).toBeVisible();

  await ask(page, 'What is the meaning of life?');
  const third = turns(page).nth(2);
  await expect(third).toContainText('This cannot be answered by a query');
  await expect(third.getByRole('alert')).toHaveCount(0);
  await expect(third.getByRole('button')).not.toHaveCount(0);
  await expectAccessible(page);
});

test('a verified answer has its badge; follow-ups are asked by a click', async ({
  console: page,
}) => {
  await askDemo(page, 'sales by region');
  const turn = turns(page).first();
  await expect(turn.locator('.verified-badge')).toContainText('Verified query “revenue by region”');
  const next = turn.getByRole('list', { name: 'Ask next' });
  const words = await next.getByRole('button').first().innerText();
  await next.getByRole('button').first().click();
  await expect(turns(page).nth(1)).toContainText(words.trim());
  await expect(turns(page).nth(1).locator('.turn-status')).toContainText(/Answered|several ways/);
});

test('a conversation has an address that shows it again, here, in another tab, and to nobody else', async ({
  console: page,
  another,
  browser,
}) => {
  const [first, second] = ['How many orders were there in 2023?', 'What was the revenue in 2023?'];
  await askDemo(page, first);
  await expect(turns(page).getByRole('grid')).toBeVisible();
  const ofFirst = /\/analyst\?conversation=How\+many/;
  await expect(page).toHaveURL(ofFirst);
  const kept = page.url();
  await page.reload();
  await expect(turns(page)).toHaveCount(1);
  await expect(turns(page)).toContainText(first);
  await expect(turns(page).getByRole('grid')).toBeVisible();

  // Each has its step to go back over; the name that a new one gets is none.
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(page).toHaveURL(/\?conversation=$/);
  await expect(turns(page)).toHaveCount(0);
  await ask(page, second);
  await expect(turns(page)).toContainText(second);
  await expect(page).toHaveURL(/\?conversation=What\+was/);
  await page.goBack();
  await expect(page).toHaveURL(ofFirst);
  await expect(turns(page)).toContainText(first);
  await page.goForward();
  await expect(turns(page)).toContainText(second);
  const list = page.getByRole('grid', { name: 'Conversations' });
  await list
    .getByText(/^How many orders were there in 2023/)
    .first()
    .click();
  await expect(turns(page)).toContainText(first);
  await page.goBack();
  await expect(turns(page)).toContainText(second);
  // The page of its own name shows what was shown last.
  await page.getByRole('link', { name: 'Data' }).click();
  await page.getByRole('link', { name: 'Analyst' }).click();
  await expect(turns(page)).toContainText(second);
  await expect(page).toHaveURL(/\?conversation=What\+was/);

  const tab = await another();
  await tab.goto(`${kept}#token=${TOKEN}`);
  await expect(turns(tab)).toContainText(first);
  await expect(turns(tab).getByRole('grid')).toBeVisible();

  const user = unique('READER');
  await sql(`CREATE USER ${user}`);
  const [row] = await sql(`ALTER USER ${user} ADD PROGRAMMATIC ACCESS TOKEN T`);
  const context = await browser.newContext();
  const theirs = await another(context);
  await theirs.goto(`${kept}#token=${row?.[1]}`);
  await expect(theirs.getByText('You have no such conversation')).toBeVisible();
  await expect(turns(theirs)).toHaveCount(0);
  await expectAccessible(theirs);
  await theirs.getByRole('button', { name: 'New conversation' }).last().click();
  await expect(theirs).toHaveURL(/\?conversation=$/);
  await expect(theirs.getByText('You have no such conversation')).toHaveCount(0);
  await context.close();
  await sql(`DROP USER ${user}`);
});

test('thumbs take a note', async ({ console: page }) => {
  await askDemo(page, 'How many orders were there in 2024?');
  const turn = turns(page).first();
  await turn.getByRole('button', { name: 'Bad answer' }).click();
  await turn.getByLabel('What was wrong? (optional)').fill('Returns should count too');
  const sent = page.waitForRequest((one) => one.url().includes('/feedback'));
  await page.keyboard.press('Enter');
  expect((await sent).postDataJSON()).toMatchObject({ positive: false });
  await expect(turn).toContainText('Your note: Returns should count too');
  await expect(turn.getByRole('button', { name: 'Bad answer, given' })).toBeVisible();
});

const yaml = (page: Page) => page.getByRole('textbox', { name: 'YAML of the model' });

test('a model is written with checks at line and column, saved, asked, and taught an answer', async ({
  console: page,
}) => {
  const schema = unique('MODELS');
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE STAGE DEMO.${schema}.KEPT`);
  await page.goto(address('/analyst'));
  const change = page.getByRole('button', { name: 'Ask something else' });
  if (await change.isVisible()) await change.click();
  await page.getByRole('button', { name: 'Write or paste YAML' }).click();
  await expect(yaml(page)).toContainText('base_table');
  const problems = page.locator('.problems');
  await expect(problems).toContainText('No problems.');

  // A mistake is marked at its place, and a click goes there.
  await yaml(page).press('Control+End');
  await page.keyboard.insertText('tabels: []\n');
  const problem = problems.getByRole('button').first();
  await expect(problem).toContainText(/tabels/);
  await expect(problem).toContainText(/\d+:\d+/);
  await expect(page.locator('.cm-lintRange-error, .cm-lintRange-warning').first()).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await showIn(page, theme);
    await expectAccessible(page);
  }
  await yaml(page).press('Control+Home');
  await problem.click();
  await expect(yaml(page)).toBeFocused();
  await expect(page.locator('.cm-activeLineGutter').first()).toHaveText(
    (await problem.innerText()).match(/(\d+):/)?.[1] as string,
  );
  await page.keyboard.press('Control+z');
  await expect(problems).toContainText('No problems.');

  // So is what only the data can tell.
  await yaml(page).press('Control+End');
  await page.keyboard.insertText('metrics:\n- {name: broken, expr: SUM(orders.nowhere)}\n');
  await expect(problems).toContainText('No problems.');
  await page.getByText('Check against the data too').click();
  await expect(problem).toContainText(/\d+:24.*metric `broken` cannot be computed/);
  await expect(page.locator('.cm-lintRange-error').first()).toBeVisible();
  await page.getByText('Check against the data too').click();
  await yaml(page).press('Control+z');
  await expect(problems).toContainText('No problems.');

  await page.getByRole('button', { name: 'Save …' }).click();
  const save = page.getByRole('dialog', { name: 'Save the model' });
  await save.getByLabel('Path').fill(`@DEMO.${schema}.KEPT/my_model.yaml`);
  await expectAccessible(page);
  await save.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(save).toHaveCount(0);
  await page.getByRole('button', { name: 'Ask it' }).click();
  await ask(page, 'total amount by status');
  const turn = turns(page).first();
  await expect(turn.getByRole('grid')).toBeVisible();
  await turn.getByRole('button', { name: 'Keep as verified' }).click();
  const keep = page.getByRole('dialog', { name: 'Keep as verified query' });
  await expect(keep).toContainText('you vouch for it');
  await keep.getByLabel('Name').fill('amount by status');
  await expectAccessible(page);
  await keep.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(turn).toContainText('Kept as verified query “amount by status”');
  await ask(page, 'total amount by status');
  await expect(turns(page).nth(1).locator('.verified-badge')).toContainText(
    /Verified query “amount by status” by ADMIN, \d{4}-/,
  );
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('what is kept for good of a time that moves is told, and offered with its dates', async ({
  console: page,
}) => {
  const schema = unique('DATES');
  await sql(`CREATE SCHEMA DEMO.${schema}`);
  await sql(`CREATE STAGE DEMO.${schema}.KEPT`);
  const model = [
    'name: shop_orders',
    'tables:',
    '- name: orders',
    '  base_table: {database: DEMO, schema: PUBLIC, table: ORDERS}',
    '  time_dimensions:',
    '  - {name: ordered_at, expr: ordered_at, data_type: TIMESTAMP}',
    '  dimensions:',
    '  - {name: status, expr: status, data_type: VARCHAR}',
    '  facts:',
    '  - {name: total_amount, expr: total_amount, data_type: NUMBER}',
  ].join('\n');
  const put = await fetch(
    address(`/api/v2/databases/DEMO/schemas/${schema}/stages/KEPT/files/m.yaml`),
    { method: 'PUT', headers: { Authorization: `Bearer ${TOKEN}` }, body: model },
  );
  expect(put.status).toBe(200);
  await page.goto(address('/analyst'));
  const change = page.getByRole('button', { name: 'Ask something else' });
  if (await change.isVisible()) await change.click();
  await page.getByRole('grid', { name: 'YAML files on stages' }).getByText(schema).first().click();
  await ask(page, 'total amount by status last year');
  const turn = turns(page).first();
  await turn.getByRole('button', { name: 'Keep as verified' }).click();
  const keep = page.getByRole('dialog', { name: 'Keep as verified query' });
  await expect(keep.getByRole('note')).toContainText(/“last year” has become fixed dates.*-01-01/);
  await keep.getByText(/^Keep it for “total amount by status in 20\d\d”$/).click();
  await expect(keep).toContainText(/“total amount by status in 20\d\d” will be answered/);
  await expectAccessible(page);
  await keep.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(turn).toContainText(/Kept as verified query “total amount by status in 20\d\d”/);
  await ask(page, 'total amount by status last year');
  await expect(turns(page).nth(1).locator('.turn-status')).toContainText('Answered');
  await expect(turns(page).nth(1).locator('.verified-badge')).toHaveCount(0);
  await sql(`DROP SCHEMA DEMO.${schema}`);
});

test('a model is uploaded, and a fault of YAML is shown at its place', async ({
  console: page,
}) => {
  await page.goto(address('/analyst'));
  const change = page.getByRole('button', { name: 'Ask something else' });
  if (await change.isVisible()) await change.click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload a YAML file' }).click();
  await (await chooser).setFiles({
    name: 'broken.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from('name: broken\ntables:\n- name: t\n  base_table: {table: [}\n'),
  });
  await expect(yaml(page)).toContainText('broken');
  await expect(page.locator('.problems').getByRole('button').first()).toContainText(/4:\d+/);
  await expect(page.locator('.cm-lintRange-error').first()).toBeVisible();
});
