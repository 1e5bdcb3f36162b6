// What tests do with forms that show their SQL.
import { expect, type Locator, type Page } from '@playwright/test';

export const form = (page: Page, title: string | RegExp): Locator =>
  page.getByRole(/\?$/.test(String(title)) ? 'alertdialog' : 'dialog', { name: title });

/** Takes a choice of a list that opens. */
export async function choose(within: Locator, label: string, choice: string | RegExp) {
  await within.getByRole('button', { name: new RegExp(`(^|\\s)${label}($|\\s)`) }).click();
  const list = within.page().getByRole('listbox');
  await list.getByRole('option', { name: choice, exact: true }).click();
  await expect(list).toHaveCount(0);
}

/** Checks what the form says it will run, and presses its button. */
export async function send(dialog: Locator, verb: string, sql: string | RegExp): Promise<void> {
  await expect(dialog.locator('.sql-preview pre')).toContainText(sql);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await expect(dialog).toHaveCount(0);
}
