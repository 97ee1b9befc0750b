import type { RunList } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { makeDashboardHome } from '../../../e2e/dashboard/make-home.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { openBrowserPage, type BrowserPage } from '../open-browser-page.ts';

const FIRST_MS = 300;
const RUNS = 10_000;
const MAX_TASK_MS = 100;
const LEAPS = 50;
const PATIENCE_MS = 60_000;

/** `pnpm bench dashboard/views`. */
export const viewsScenario: Scenario = {
  name: 'views',
  title: 'the first view, and a list of ten thousand runs, by script time of the real page on a real server',
  async run(context) {
    await buildPage();
    const server = await startControlServer({ home: await makeDashboardHome(await context.scratch()) });
    context.defer(async () => void (await server.process.stop()));
    const opened = await openBrowserPage(context, server.url);
    if (opened === undefined) {
      context.reportNotRun({ name: 'views', why: 'there is no /usr/bin/chromium', bar: 'opened in a browser' });
      return;
    }
    await opened.page.getByRole('heading', { name: 'Now' }).waitFor({ timeout: PATIENCE_MS });
    await opened.page.locator('.run-list').first().waitFor({ timeout: PATIENCE_MS });
    const { scriptMs } = await opened.measure();
    context.report({
      name: 'first view',
      figure: `${scriptMs.toFixed(0)} ms of script`,
      bar: `≤ ${FIRST_MS} ms`,
      ok: scriptMs <= FIRST_MS,
    });

    const { runs } = await createControlClient({ url: server.url }).listRuns();
    const [one] = runs;
    if (one === undefined) throw new Error('the home has no run');
    const many = Array.from({ length: RUNS }, (_, index) => ({
      ...one,
      run_id: `r${String(index).padStart(7, '0')}`,
      created_at: one.created_at - index * 1_000,
    }));
    const list: RunList = { runs: many, count: RUNS, next: null };
    // Only the list is made up: no server of a test trains ten thousand.
    await opened.page.route(/\/runs\?.*limit=10000/, (route) => route.fulfill({ json: list }));
    await opened.page.getByRole('link', { name: 'Runs', exact: true }).click();
    await opened.page.getByText('r0000000').waitFor({ timeout: PATIENCE_MS });
    const tasks = await scrollWindow(opened);
    const longest = Math.max(...tasks);
    context.report({
      name: `${RUNS.toLocaleString('en')} runs scrolled from end to end`,
      figure: `${longest.toFixed(0)} ms for the hardest of ${LEAPS} leaps`,
      bar: `≤ ${MAX_TASK_MS} ms`,
      ok: longest <= MAX_TASK_MS,
    });
    const last = await opened.page.getByText(`r${String(RUNS - 1).padStart(7, '0')}`).count();
    context.report({
      name: 'the last of them is reached',
      figure: last > 0 ? 'yes' : 'no',
      bar: 'yes',
      ok: last > 0,
    });
  },
};

/** Work of the page's thread for each leap. */
async function scrollWindow({ page, measure }: BrowserPage): Promise<number[]> {
  const taken: number[] = [];
  for (let leap = 1; leap <= LEAPS; leap += 1) {
    const before = await measure();
    await page.evaluate(`new Promise((done) => {
      scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * ${leap / LEAPS});
      requestAnimationFrame(() => setTimeout(done, 0));
    })`);
    taken.push((await measure()).taskMs - before.taskMs);
  }
  return taken;
}
