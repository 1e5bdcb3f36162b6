// Windows of phones, and a wide one: the head and the bar of the pages stay where they are, whatever is in the page.
import type { Page } from '@playwright/test';
import { address, expect, expectAccessible, expectNoSidewaysScrolling, test } from './console';

const QUESTION = 'revenue by region in 2025';

/** The window itself has nothing to scroll, so that nothing can push the head out of it. */
async function expectInPlace(page: Page): Promise<void> {
  const place = await page.evaluate(() => {
    const bottomOf = (element: Element | null) => element?.getBoundingClientRect().bottom;
    const root = document.scrollingElement as Element;
    return {
      scrolled: root.scrollTop,
      excess: root.scrollHeight - root.clientHeight,
      top: document.querySelector('.top-bar')?.getBoundingClientRect().top,
      below: window.innerHeight - (bottomOf(document.querySelector('.shell')) ?? 0),
    };
  });
  expect(place).toEqual({ scrolled: 0, excess: 0, top: 0, below: 0 });
}

for (const [width, height] of [
  [320, 640],
  [390, 780],
  [1280, 800],
] as const) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height }, hasTouch: width < 700, isMobile: width < 700 });

    test('a question that is asked twice stands at the top, and names its parts apart', async ({
      console: page,
    }) => {
      await page.goto(address(`/analyst?question=${encodeURIComponent(QUESTION)}`));
      const turns = page.getByRole('article');
      await expect(turns.first().locator('.firn-chart canvas')).toBeVisible();
      await page.getByRole('textbox', { name: /^Question about/ }).fill(QUESTION);
      await page.keyboard.press('Enter');
      await expect(turns.nth(1).locator('.firn-chart canvas')).toBeVisible();
      await expectInPlace(page);
      await page.reload();
      await expect(turns.nth(1).locator('.firn-chart canvas')).toBeVisible();
      const list = await page.locator('.dialogue-turns').boundingBox();
      await expect
        .poll(async () => Math.abs(((await turns.nth(1).boundingBox())?.y ?? 0) - (list?.y ?? 0)))
        .toBeLessThan(2);
      await expectInPlace(page);
      await expectNoSidewaysScrolling(page);
      for (const number of [1, 2]) {
        const chart = page.getByRole('region', {
          name: `Chart of answer ${number}: “${QUESTION}”`,
        });
        await expect(chart).toHaveCount(1);
        await chart.getByText('Figures of the chart').click();
      }
      await expectAccessible(page);
      await expectInPlace(page);
    });
  });
}

test('the names of the pages stay inside the narrowest bar', async ({ console: page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  await expect(links).toHaveCount(5);
  const outside = await links.evaluateAll((all) =>
    all
      .map((link) => link.querySelector('span') as HTMLElement)
      .filter((name) => {
        const [own, link] = [name, name.parentElement as Element].map((one) =>
          one.getBoundingClientRect(),
        ) as [DOMRect, DOMRect];
        const isCut = name.scrollWidth > name.clientWidth;
        return isCut || own.left < link.left || own.right > link.right;
      })
      .map(({ textContent }) => textContent),
  );
  expect(outside).toEqual([]);
  const boxes = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect()));
  for (const [index, box] of boxes.entries()) {
    expect(box.left).toBeGreaterThanOrEqual(boxes[index - 1]?.right ?? 0);
    expect(box.right).toBeLessThanOrEqual(320);
    expect(box.width).toBeGreaterThanOrEqual(44);
  }
});
