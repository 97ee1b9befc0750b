import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { findChromium } from '../../kit/find-chromium.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { buildPage, weighPage } from './build-page.ts';
import { figures } from './figures.ts';
import { actOnLibrary } from './library.ts';
import { makeDashboardHome, RUNS } from './make-home.ts';
import { launch, showPage, type WatchedPage } from './open-pages.ts';
import { openServer, type DashboardServer } from './open-server.ts';
import { listPages } from './pages.ts';
import { reroll } from './reroll.ts';
import { story } from './story/story.ts';
import { verdict } from './verdict.ts';

const KB = 1_024;
const ENTRY_KB = 160;
const ALL_KB = 300;
const SHOWN_MS = 30_000;
/** Screenshots stay here until the next run of CI. */
const SHOTS = path.resolve(import.meta.dirname, '../../../.ci/logs/dashboard');

const [{ run }] = RUNS;
const VIEWS = [
  { width: 1_440, height: 900, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
] as const;

/** `pnpm e2e dashboard`: the page as it is shipped, in Debian's Chromium, on a control server with runs of the real trainer. */
export const scenarios: Scenario[] = [
  story,
  figures,
  {
    name: 'weight',
    title: 'the page is built, and is as light as it was promised',
    async run(context) {
      await buildPage();
      const { entry, all, withSchemas } = await weighPage();
      const report = (name: string, bytes: number, most: number): void =>
        context.report({
          name,
          figure: `${(bytes / KB).toFixed(1)} KB of gzip`,
          bar: `≤ ${most} KB`,
          ok: bytes > 0 && bytes <= most * KB,
        });
      report('scripts of the first view', entry, ENTRY_KB);
      report('all scripts', all, ALL_KB);
      context.report({
        name: 'scripts with a schema library in them',
        figure: String(withSchemas.length),
        bar: '0',
        ok: withSchemas.length === 0,
      });
    },
  },
  {
    name: 'pages',
    title:
      'every page opens without an error, a refusal of its policy, a request elsewhere or a barrier, and does not overflow',
    async run(context) {
      const opened = await openDashboard(context);
      if (opened === undefined) return;
      const { server, browser } = opened;
      const origin = server.url;
      await mkdir(SHOTS, { recursive: true });
      const pages = await listPages(server);
      const barriers: string[] = [];
      const wide: string[] = [];
      const all: WatchedPage[] = [];
      for (const view of VIEWS) {
        const watched = await server.open(browser, view);
        all.push(watched);
        for (const [name, address] of pages) {
          await showPage(watched.page, `${origin}${address}`);
          await watched.page.screenshot({ path: path.join(SHOTS, `${name}-${view.width}-${view.scheme}.png`) });
          const found = await watched.findBarriers();
          barriers.push(...found.map((barrier) => `${name} ${view.scheme} ${barrier}`));
          const over = await watched.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          if (over > 0) wide.push(`${name} at ${view.width} by ${over}`);
        }
      }
      const acting = await server.open(browser, VIEWS[0]);
      all.push(acting);
      await actOnLibrary(context, server, acting.page);
      // A page with a picture that nobody described: whoever finds nothing there would find nothing anywhere.
      await all[0]?.page.evaluate("document.querySelector('main').append(document.createElement('img'))");
      const caught = (await all[0]?.findBarriers())?.length ?? 0;
      context.report({
        name: 'mutant with a barrier',
        figure: caught > 0 ? 'caught' : 'missed',
        bar: 'caught',
        ok: caught > 0,
      });
      const opening = pages.length * VIEWS.length;
      reportNone(
        context,
        `errors in the console of ${opening} pages`,
        all.flatMap(({ faults }) => faults.console),
      );
      reportNone(
        context,
        'refusals of the content policy',
        all.flatMap(({ faults }) => faults.policy),
      );
      reportNone(
        context,
        'requests to another origin',
        all.flatMap(({ faults }) => faults.elsewhere),
      );
      reportNone(context, 'broken rules of WCAG 2.2 AA', barriers);
      reportNone(context, 'pages wider than their window', wide);
    },
  },
  {
    name: 'keys',
    title:
      'from the first page to the rollouts of a step by keys alone; none acts while a field has the focus; what is shown is what the API says',
    async run(context) {
      const opened = await openDashboard(context);
      if (opened === undefined) return;
      const { server, browser } = opened;
      const origin = server.url;
      const { page } = await server.open(browser, VIEWS[0]);
      await showPage(page, origin);
      const walked: string[] = [];
      const press = async (keys: string, expected: RegExp): Promise<void> => {
        for (const key of keys.split(' ')) await page.keyboard.press(key);
        const there = await page.waitForURL(expected, { timeout: SHOWN_MS }).then(
          () => true,
          () => false,
        );
        if (there) walked.push(keys);
        else context.log(`${keys} led to ${page.url()}`);
      };
      await press('g r', /\/runs$/);
      await page.getByRole('row').nth(2).waitFor();
      await press('j', /at=/);
      await press('j', new RegExp(`at=${run}`));
      await press('Enter', new RegExp(`/runs/${run}`));
      const shown = await page.locator('dt:text-is("Reward") + dd').textContent({ timeout: SHOWN_MS });
      await page.locator('.chart canvas').first().waitFor();
      await press('.', /step=1\b/);
      await press('.', /step=2\b/);
      await press('Enter', /\/steps\/2\b/);
      // One group of this step and one of the next, beside each other.
      await page.locator('.pick').first().waitFor({ timeout: SHOWN_MS });
      await press('x', /marked=/);
      await press('.', /\/steps\/3\b.*marked=/);
      await page.locator('.pick', { hasText: '#1' }).first().waitFor({ timeout: SHOWN_MS });
      await press('x', /marked=.+(?:,|%2C)/);
      await press('=', /\/compare\?groups=/);
      await page.locator('.diff').waitFor({ timeout: SHOWN_MS });
      await press('g m', /\/models$/);
      await page.getByRole('checkbox').nth(1).waitFor({ timeout: SHOWN_MS });
      await press('j x', /marked=/);
      await press('j x', /marked=.+(?:,|%2C)/);
      await press('=', /\/compare\?models=/);
      await page.getByRole('columnheader').nth(2).waitFor({ timeout: SHOWN_MS });
      await press('g r', /\/runs$/);
      await press('T', /tree=1/);
      const bar = 17;
      context.report({
        name: 'places reached by keys',
        figure: `${walked.length} of ${bar}`,
        bar: 'all',
        ok: walked.length === bar,
      });

      await showPage(page, `${origin}/runs`);
      await page.getByRole('textbox', { name: 'Environment' }).fill('');
      await page.getByRole('textbox', { name: 'Environment' }).pressSequentially('grn');
      const stayed = new URL(page.url()).pathname === '/runs';
      context.report({
        name: 'keys while a field has the focus',
        figure: stayed ? 'none acts' : 'one acts',
        bar: 'none acts',
        ok: stayed,
      });

      const said = (await server.api.readRun(run)).metrics.reward_mean ?? Number.NaN;
      const isSame = Math.abs(Number(shown) - said) < 0.001;
      context.report({
        name: 'reward on the page',
        figure: `${shown}`,
        bar: `as the API says: ${said.toFixed(3)}`,
        ok: isSame,
      });
    },
  },
  reroll,
  verdict,
];

async function openDashboard(
  context: ScenarioContext,
): Promise<{ server: DashboardServer; browser: Awaited<ReturnType<typeof launch>> } | undefined> {
  const program = findChromium();
  if (program === undefined) {
    context.reportNotRun({ name: 'pages in a browser', why: 'there is no chromium here', bar: '0 faults' });
    return undefined;
  }
  const server = await openServer(context, { home: await makeDashboardHome(await context.scratch()) });
  const browser = await launch(program);
  context.defer(() => browser.close());
  return { server, browser };
}

function reportNone(context: ScenarioContext, name: string, found: readonly string[]): void {
  for (const each of found.slice(0, 20)) context.log(each);
  context.report({ name, figure: String(found.length), bar: '0', ok: found.length === 0 });
}
