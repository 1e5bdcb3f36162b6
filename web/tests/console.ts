import AxeBuilder from '@axe-core/playwright';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import { TOKEN } from './server';

export { expect };

/** The address of a page of the console. */
export const address = (path: string) => `${process.env.FIRN_TEST_URL}${path}`;

/** Runs a statement as ADMIN, beside the page. */
export async function sql(statement: string, database = 'DEMO'): Promise<(string | null)[][]> {
  const answer = await fetch(address('/api/v2/statements'), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      'Content-Type': 'application/json',
      'User-Agent': 'browser-tests/1.0',
    },
    body: JSON.stringify({
      statement,
      database,
      schema: 'PUBLIC',
      warehouse: 'COMPUTE_WH',
      parameters: { MULTI_STATEMENT_COUNT: '0' },
    }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${statement}: ${body.message}`);
  return body.data;
}

/** Collects whatever a page asks of another host, what the policy stops, dialogs and errors of scripts. */
async function watch(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const origin = new URL(address('/')).origin;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) faults.push(`asked for ${url}`);
    if (url.includes(TOKEN)) faults.push(`the token is in an address: ${url}`);
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
    if (message.text().includes(TOKEN)) faults.push(`the token is in the log: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`failed: ${error.message}`));
  page.on('dialog', (dialog) => {
    // A page may ask whether to leave; nothing else opens a dialog of the browser.
    if (dialog.type() !== 'beforeunload') faults.push(`dialog: ${dialog.message()}`);
    void dialog.accept();
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      // biome-ignore lint/suspicious/noConsole: the way from the page to the listener above
      console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return faults;
}

/** Users may have few sessions: those that the worksheets of a page open are closed behind it. */
function closesSessions(page: Page): () => Promise<void> {
  const opened: Promise<() => Promise<unknown>>[] = [];
  page.on('response', (response) => {
    const isOpened = response.status() === 201 && response.url().endsWith('/api/v2/sessions');
    if (!isOpened) return;
    const headers = { Authorization: response.request().headers().authorization ?? '' };
    const close = response
      .json()
      .then(
        ({ sessionId }) =>
          () =>
            fetch(sessionAddress(sessionId), { method: 'DELETE', headers }),
      )
      .catch(() => async () => undefined);
    opened.push(close);
  });
  return async () => {
    for (const close of await Promise.all(opened)) await close();
  };
}

export const sessionAddress = (id: string) => address(`/api/v2/sessions/${id}`);

/**
 * `guest`: a page that is watched and not signed in. `console`: the same page, signed in.
 * `another`: opens further pages of the same browser, watched as well.
 */
export const test = base.extend<{
  guest: Page;
  console: Page;
  another: (context?: BrowserContext) => Promise<Page>;
}>({
  guest: async ({ page }, use) => {
    const faults = await watch(page);
    const close = closesSessions(page);
    await use(page);
    await close();
    expect(faults).toEqual([]);
  },
  console: async ({ guest }, use) => {
    await signIn(guest);
    await use(guest);
  },
  another: async ({ context: own }, use) => {
    const all: string[][] = [];
    const closing: (() => Promise<void>)[] = [];
    await use(async (context) => {
      const page = await (context ?? own).newPage();
      all.push(await watch(page));
      closing.push(closesSessions(page));
      return page;
    });
    for (const close of closing) await close();
    expect(all.flat()).toEqual([]);
  },
});

/** Opens a page of the console with the link that `firn serve` prints. */
export async function signIn(page: Page, path = '/', token = TOKEN): Promise<void> {
  await page.goto(address(`${path}#token=${token}`));
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
}

/** Nothing that axe knows is wrong with the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  await settled(page);
  await expectClean(axeOf(page));
}

/** What a theme alone can make wrong. */
export async function expectReadable(page: Page): Promise<void> {
  await settled(page);
  await expectClean(axeOf(page).withRules(['color-contrast']));
}

/** The page is there, and in no transition, in whose middle colours have contrasts of their own. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map((one) => one.finished));
  });
}

/** There are no frames, for which axe would open another page each time. */
function axeOf(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
}

async function expectClean(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.analyze();
  expect(violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`)).toEqual([]);
}

/** A name that no other test and no other run has. */
export function unique(prefix: string): string {
  return `${prefix}_${Math.random().toString(36).slice(2, 10)}`.toUpperCase();
}

export async function showIn(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
}

/** Nothing but the grid and the editor is wider than the window. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const root = document.scrollingElement as Element;
    return root.scrollWidth > root.clientWidth ? `${root.scrollWidth} > ${root.clientWidth}` : '';
  });
  expect(wide).toBe('');
}

/** Writes a figure beside the names of the tests. */
export function measured(words: string): void {
  process.stdout.write(`     ${words}\n`);
}
