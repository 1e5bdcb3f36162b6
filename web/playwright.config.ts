import { defineConfig } from '@playwright/test';

/** Real Chromium against one real server with the demo data, which `tests/server.ts` starts. */
export default defineConfig({
  testDir: 'tests',
  // Another ending than that of the unit tests, which vitest runs.
  testMatch: '*.browser.ts',
  outputDir: '../target/browser',
  globalSetup: './tests/server.ts',
  fullyParallel: true,
  workers: 2,
  // On a machine that others use too, a page may take longer than any test waits; what passed only then is listed as flaky.
  retries: process.env.CI ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    // Times are shown as the session has them, wherever the tests run.
    locale: 'en-GB',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
  },
});
