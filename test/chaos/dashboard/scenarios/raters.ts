import { createLibraryClient } from '@lachesis/sdk';
import type { Browser, Page } from 'playwright-core';

import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { launch } from '../../../e2e/dashboard/open-pages.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { listPayloads } from '../list-payloads.ts';
import { makeHostileRecord } from '../make-hostile-home.ts';

const RECORDS = 40;
const EACH = 12;
const EACH_OF_MUTANT = 3;
const PATIENCE_MS = 60_000;

/** Two people at two keyboards. */
export const ratersScenario: Scenario = {
  name: 'raters',
  title: 'two raters in two browsers at once never get the same item',
  async run(context) {
    const program = findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'raters', why: 'there is no chromium here', bar: '0 items twice' });
      return;
    }
    await buildPage();
    const home = await context.scratch();
    const control = await startControlServer({ home });
    context.defer(async () => void (await control.process.stop()));
    const payloads = listPayloads(RECORDS);
    const library = createLibraryClient({ url: control.url });
    await library.sendRecords(payloads.map((payload, index) => makeHostileRecord(index, () => payload)));
    const browser = await launch(program);
    context.defer(() => browser.close());
    const listRated = async (): Promise<string[]> =>
      (await library.listFeedback()).map(({ feedback }) => feedback.trajectory_id);
    await rateByTwo(browser, control.url, { each: EACH });
    const rated = await listRated();
    const twice = rated.length - new Set(rated).size;
    context.report({
      name: 'items that two raters got',
      figure: `${twice} of ${rated.length} ratings`,
      bar: `0 of ${2 * EACH}`,
      ok: twice === 0 && rated.length === 2 * EACH,
    });

    // A queue that takes both for one person: what is leased to a seat is handed out to it again.
    await rateByTwo(browser, control.url, { each: EACH_OF_MUTANT, seat: 'one-for-both' });
    const more = (await listRated()).length - rated.length;
    context.report({
      name: 'seeded fault: two raters with one seat',
      figure: more < 2 * EACH_OF_MUTANT ? `caught: ${more} of ${2 * EACH_OF_MUTANT} items were rated` : 'not caught',
      bar: 'caught',
      ok: more < 2 * EACH_OF_MUTANT,
    });
  },
};

/** Two browsers at once; with a seat, both are given that one in place of their own. */
async function rateByTwo(
  browser: Browser,
  url: string,
  { each, seat }: { each: number; seat?: string },
): Promise<void> {
  const pages = await Promise.all(
    [1, 2].map(async () => {
      const page = await (await browser.newContext()).newPage();
      if (seat !== undefined) {
        await page.route('**/v1/queue/*', async (route) => {
          const body = JSON.parse(route.request().postData() ?? '{}') as object;
          await route.continue({ postData: JSON.stringify({ ...body, seat }) });
        });
      }
      await page.goto(`${url}/rate`);
      await page.locator('.rate-head h2').waitFor({ timeout: PATIENCE_MS });
      return page;
    }),
  );
  await Promise.all(pages.map((page) => rateSome(page, each)));
  await Promise.all(pages.map((page) => page.context().close()));
}

async function rateSome(page: Page, each: number): Promise<void> {
  const head = page.locator('.rate-head h2');
  for (let count = 0; count < each; count += 1) {
    await head.waitFor({ timeout: PATIENCE_MS });
    await page.keyboard.press(count % 2 === 0 ? 'u' : 'd');
    await page.waitForTimeout(100);
  }
  await page.getByText('all kept').waitFor({ timeout: PATIENCE_MS });
}
