import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './console';
import { result, run } from './worksheet';

async function rename(page: Page, name: string): Promise<void> {
  await page.locator('.worksheet-tab[data-active]').dblclick();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(name);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
}

async function downloaded(page: Page, format: string): Promise<Download> {
  const download = page.waitForEvent('download');
  await result(page).getByRole('button', { name: 'Download all rows' }).first().click();
  await page.getByRole('menuitem', { name: format, exact: true }).click();
  return download;
}

test('files of a result are called as the worksheet, with the time of the run', async ({
  console: page,
}) => {
  await run(page, 'SELECT 7 AS n');
  await rename(page, 'Umsätze 売上');
  for (const [format, ending] of [
    ['CSV', 'csv'],
    ['JSON lines', 'jsonl'],
    ['Parquet', 'parquet'],
  ] as const) {
    const file = await downloaded(page, format);
    const name = new RegExp(`^Umsätze 売上 \\d{4}-\\d\\d-\\d\\d \\d{4}\\.${ending}$`);
    expect(file.suggestedFilename()).toMatch(name);
    if (ending === 'csv') expect(readFileSync(await file.path(), 'utf8')).toBe('N\r\n7\r\n');
  }
  await run(page, 'SELECT 1 AS a;\nSELECT 2 AS b;');
  expect((await downloaded(page, 'CSV')).suggestedFilename()).toMatch(/^Umsätze 売上 2 \d{4}-/);
});
