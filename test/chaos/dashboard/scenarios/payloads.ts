import { createControlClient, createLibraryClient } from '@lachesis/sdk';
import type { Browser, Page } from 'playwright-core';

import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { launch } from '../../../e2e/dashboard/open-pages.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { ELSEWHERE, listPayloads, type Payload } from '../list-payloads.ts';
import { makeHostileHome, makeHostileRecord, RUN, STEPS, type NextPayload } from '../make-hostile-home.ts';

const PAYLOADS = 300;
const RECORDS = 28;
const ROLLOUTS = 8;
const SHOWN_MS = 30_000;
const SETTLE_MS = 150;

/** What came of showing texts. */
interface Seen {
  /** Payloads whose text was on a page. */
  readonly shown: Set<string>;
  ran: number;
  /** Requests to elsewhere, and dialogs and windows that a text opened. */
  elsewhere: number;
  refused: string[];
}

/** Texts of models, tools, people, files and logs stay texts, wherever the page shows them. */
export const payloadsScenario: Scenario = {
  name: 'payloads',
  title: `${PAYLOADS} texts that would like to be scripts, through everything that others write: none runs, none loads`,
  async run(context) {
    const program = findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'payloads', why: 'there is no chromium here', bar: '0 scripts run' });
      return;
    }
    await buildPage();
    const payloads = listPayloads(PAYLOADS);
    let given = 0;
    const next: NextPayload = () => payloads[given++ % payloads.length]!;
    const control = await startControlServer({ home: await makeHostileHome(await context.scratch(), next) });
    context.defer(async () => void (await control.process.stop()));
    const library = createLibraryClient({ url: control.url });
    await library.sendRecords(Array.from({ length: RECORDS }, (_, index) => makeHostileRecord(index, next)));
    const { trajectories } = await library.listTrajectories({});
    const client = createControlClient({ url: control.url });
    const groups: string[] = [];
    for (let step = 1; step <= STEPS; step += 1) {
      groups.push(...(await client.readStep(RUN, step)).groups.map(({ group_id: id }) => id));
    }
    const ids = trajectories.map(({ trajectory_id: id }) => id);
    const addresses = [
      ...[
        '/',
        '/runs',
        `/runs/${RUN}`,
        ...['steps', 'why', 'events', 'settings'].map((view) => `/runs/${RUN}?view=${view}`),
      ],
      ...['api', 'trainer', 'env'].map((role) => `/runs/${RUN}?view=logs&role=${role}`),
      ...Array.from({ length: STEPS }, (_, index) => `/runs/${RUN}/steps/${index + 1}`),
      ...groups.flatMap((group) =>
        [0, ROLLOUTS - 1].map((rollout) => `/runs/${RUN}/groups/${group}?rollout=${rollout}`),
      ),
      ...['/trajectories', ...ids.map((id) => `/trajectories/${id}`)],
      ...[`/compare?a=${ids[0]}&b=${ids[1]}`, '/rate', '/rate?mode=steps', '/models', '/environments'],
    ];

    const browser = await launch(program);
    context.defer(() => browser.close());
    const seen = await visit(browser, { origin: control.url, addresses, payloads });
    const unseen = payloads.filter(({ mark }) => !seen.shown.has(mark)).map(({ mark }) => mark);
    if (unseen.length > 0) context.log(`not on a page: ${unseen.join(' ')}`);
    context.report({
      name: 'payloads that were on a page',
      figure: `${seen.shown.size} of ${PAYLOADS}, on ${addresses.length} addresses`,
      bar: 'all',
      ok: seen.shown.size === PAYLOADS,
    });
    const none = (name: string, found: number): void =>
      context.report({ name, figure: String(found), bar: '0', ok: found === 0 });
    none('scripts that ran', seen.ran);
    none('loads from elsewhere', seen.elsewhere);
    for (const refusal of seen.refused.slice(0, 10)) context.log(refusal);
    none('tries that only the content policy stopped', seen.refused.length);

    const mutant = await visit(browser, {
      ...{ origin: control.url, payloads, takesMarkup: true },
      addresses: addresses.filter((address) => address.includes('/groups/')).slice(0, 1),
    });
    context.report({
      name: 'mutant: a page that takes texts for markup, without a policy',
      figure: `${mutant.ran} ran, ${mutant.elsewhere} loaded`,
      bar: 'both seen',
      ok: mutant.ran > 0 && mutant.elsewhere > 0,
    });
  },
};

// Run in the page, which has other types than a test: as text. Every text becomes what it says.
const TAKE_FOR_MARKUP = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.data.includes('<')) texts.push(walker.currentNode);
  for (const text of texts) {
    const holder = document.createElement('span');
    holder.innerHTML = text.data;
    text.replaceWith(holder);
  }
})()`;

async function visit(
  browser: Browser,
  options: { origin: string; addresses: readonly string[]; payloads: readonly Payload[]; takesMarkup?: boolean },
): Promise<Seen> {
  const { origin, addresses, payloads, takesMarkup = false } = options;
  const context = await browser.newContext({ viewport: { width: 1_440, height: 2_400 }, bypassCSP: takesMarkup });
  const seen: Seen = { shown: new Set(), ran: 0, elsewhere: 0, refused: [] };
  try {
    const page = await context.newPage();
    await page.exposeFunction('ran', () => void (seen.ran += 1));
    await page.exposeFunction('noteRefusal', (text: string) => seen.refused.push(text));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => noteRefusal(event.violatedDirective + ' ' + event.blockedURI))`,
    );
    page.on('request', (request) => void (request.url().startsWith(ELSEWHERE) && (seen.elsewhere += 1)));
    page.on('dialog', (dialog) => void ((seen.elsewhere += 1), dialog.dismiss()));
    page.on('popup', () => void (seen.elsewhere += 1));
    for (const address of addresses) {
      await page.goto(`${origin}${address}`);
      await page.locator('h1').first().waitFor({ timeout: SHOWN_MS });
      await page.locator('main .loading').first().waitFor({ state: 'detached', timeout: SHOWN_MS });
      await unfold(page);
      if (takesMarkup) await page.evaluate(TAKE_FOR_MARKUP);
      // What was to be loaded or run is on its way by now.
      await page.waitForTimeout(SETTLE_MS);
      // A text that took the page elsewhere leaves nothing to read.
      const text = await page.evaluate<string>('document.body?.textContent ?? ""').catch(() => '');
      for (const { mark } of payloads) if (text.includes(mark)) seen.shown.add(mark);
    }
  } finally {
    await context.close();
  }
  return seen;
}

/** Opens what is folded, as a person does who wants to see it. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(
    `for (const fold of document.querySelectorAll('main details:not([open]) > summary, main [aria-expanded=false]')) fold.click()`,
  );
}
