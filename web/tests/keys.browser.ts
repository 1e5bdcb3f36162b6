import { expect, test } from './console';
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
