// What tests do with a worksheet, in the words of the people who use it.
import { expect, type Locator, type Page } from '@playwright/test';

export const editor = (page: Page): Locator => page.locator('.worksheet-editor .cm-content');

export const result = (page: Page): Locator => page.getByRole('region', { name: 'Result' }).first();

export const grid = (page: Page): Locator => page.getByRole('grid', { name: /^Result of/ });

/** The cell of a row and a column, both counted from 1 as people do. */
export const cell = (page: Page, row: number, column: number): Locator =>
  grid(page).locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);

export const head = (page: Page): Locator => result(page).locator('.result-head');

/** Replaces the text of the worksheet that is shown. */
export async function write(page: Page, text: string): Promise<void> {
  await expect(editor(page)).toBeVisible();
  // Text that is put in the place of a selection takes over its colour by an inline style, which the policy reports.
  await editor(page).press('ControlOrMeta+A');
  await editor(page).press('Delete');
  await page.keyboard.insertText(text);
  // Moving the cursor closes the completion that typing may open.
  await editor(page).press('Control+Home');
}

export async function runHere(page: Page): Promise<void> {
  await editor(page).press('Control+Enter');
}

/** Runs a text and waits until it has ended well. */
export async function run(page: Page, text: string): Promise<void> {
  await write(page, text);
  await editor(page).press('Control+Shift+Enter');
  await expect(head(page).locator('.state-succeeded')).toBeVisible();
}

/** Puts the cursor at the first place of a text. */
export async function putCursor(page: Page, before: string): Promise<void> {
  const text = (await editor(page).innerText()).replaceAll('\n\n', '\n');
  const line = text.slice(0, text.indexOf(before)).split('\n').length;
  await editor(page).press('Control+Home');
  for (let at = 1; at < line; at += 1) await page.keyboard.press('ArrowDown');
}
