import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

/** What a page did that it should not. */
export interface Faults {
  /** Errors in the console, and errors nobody caught. */
  console: string[];
  /** What the policy of the page refused. */
  policy: string[];
  /** Requests to another origin. */
  elsewhere: string[];
}

export interface WatchedPage {
  readonly page: Page;
  readonly faults: Faults;
  /** Rules of WCAG 2.2 AA that the page breaks as it stands, each with the first element. */
  findBarriers(): Promise<string[]>;
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

// Run in the page, which has other types than a test: as text.
const NOTE_REFUSALS = `addEventListener('securitypolicyviolation', (event) =>
  noteRefusal([event.violatedDirective, event.blockedURI, event.sourceFile].join(' ')))`;
const LIST_BARRIERS = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes[0].target.join(' ') + ' (' + nodes.length + ')'))`;

export const launch = async (program: string): Promise<Browser> =>
  await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

/** A page of its own, whose every fault is noted. */
export async function openWatchedPage(browser: Browser, options: View & { origin: string }): Promise<WatchedPage> {
  const { origin, width, height, scheme } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults: Faults = { console: [], policy: [], elsewhere: [] };
  page.on('console', (message) => {
    if (message.type() === 'error') faults.console.push(`${new URL(page.url()).pathname}: ${message.text()}`);
  });
  page.on('pageerror', ({ message }) => faults.console.push(`${new URL(page.url()).pathname}: ${message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) faults.elsewhere.push(url);
  });
  await page.exposeFunction('noteRefusal', (text: string) => faults.policy.push(text));
  await page.addInitScript(NOTE_REFUSALS);
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return {
    page,
    faults,
    async findBarriers() {
      await page.evaluate(axe);
      return await page.evaluate<string[]>(LIST_BARRIERS);
    },
  };
}

const SHOWN_MS = 30_000;

/** Opens an address and waits until nothing is on its way any more. */
export async function showPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('h1').first().waitFor({ timeout: SHOWN_MS });
  await page
    .locator('main .loading:not([aria-label*=example])')
    .first()
    .waitFor({ state: 'detached', timeout: SHOWN_MS });
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}
