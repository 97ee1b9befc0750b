import { playwright } from '@vitest/browser-playwright';
import { mergeConfig } from 'vite';
import { defineProject } from 'vitest/config';

import { findChromium } from '../../test/kit/find-chromium.ts';
import dashboard from './vite.config.ts';

/** Parts of the page in a real browser, with real keys and real layout. */
export default mergeConfig(
  dashboard,
  defineProject({
    test: {
      name: 'browser',
      include: ['src/**/*.browser.test.ts'],
      // As the tests without a browser have them.
      testTimeout: 60_000,
      retry: process.env['CI'] === undefined ? 0 : 1,
      expect: { poll: { timeout: 30_000 } },
      browser: {
        enabled: true,
        headless: true,
        // A picture of a failure says less than its message.
        screenshotFailures: false,
        // As root a browser has no sandbox of its own.
        provider: playwright({
          launchOptions: { executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] },
        }),
        instances: [{ browser: 'chromium', viewport: { width: 1_440, height: 900 } }],
      },
    },
  }),
);
