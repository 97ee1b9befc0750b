import type { RunList, TrajectoryDetail, TrajectoryPage } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import { makeSummary, makeTurns } from '../../../../apps/dashboard/bench/make-library.ts';
import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { makeDashboardHome } from '../../../e2e/dashboard/make-home.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { openBrowserPage, type BrowserPage } from '../open-browser-page.ts';
import { reportScroll } from '../scroll-through.ts';

const FIRST_MS = 300;
const RUNS = 10_000;
const TRAJECTORIES = 1_000_000;
/** Two events a turn. */
const TURNS = 50_000;
const READABLE_MS = 2_000;
const PATIENCE_MS = 60_000;

/**
 * `pnpm bench dashboard/views`. Only what is large is made up, by the test's browser: no server of a test trains ten thousand
 * runs. Everything else is the real page on a real server.
 */
export const viewsScenario: Scenario = {
  name: 'views',
  title:
    'the first view, ten thousand runs, a million trajectories and one of a hundred thousand events, by the work of the real page on a real server',
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
    await measureRuns(context, opened, server.url);
    await measureTrajectories(context, opened);
    await measureLongTrajectory(context, opened);
  },
};

async function measureRuns(context: ScenarioContext, opened: BrowserPage, url: string): Promise<void> {
  const { page } = opened;
  const { runs } = await createControlClient({ url }).listRuns();
  const [one] = runs;
  if (one === undefined) throw new Error('the home has no run');
  const nameOf = (index: number): string => `r${String(index).padStart(7, '0')}`;
  const many = Array.from({ length: RUNS }, (_, index) => ({
    ...one,
    run_id: nameOf(index),
    created_at: one.created_at - index * 1_000,
  }));
  const list: RunList = { runs: many, count: RUNS, next: null };
  await page.route(/\/runs\?.*limit=10000/, (route) => route.fulfill({ json: list }));
  // A row asks for its own figures; it gets those of the run that all of them are made of.
  await page.route(/\/runs\/r\d{7}/, (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/r\d{7}/, one.run_id),
    }),
  );
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByText(nameOf(0)).waitFor({ timeout: PATIENCE_MS });
  await reportScroll(context, opened, {
    name: `${RUNS.toLocaleString('en')} runs scrolled from end to end`,
    selector: 'html',
  });
  // Where the list stands still its rows get what they asked for.
  const last = page.locator('.run-row', { hasText: nameOf(RUNS - 1) }).locator('.sparkline');
  const isThere = await last.waitFor({ timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  );
  context.report({
    name: 'the last of them is reached, with its curve',
    figure: isThere ? 'yes' : 'no',
    bar: 'yes',
    ok: isThere,
  });
}

/** A reader drags the bar from the first row to the last: pages in between are passed by. */
async function measureTrajectories(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  const { page } = opened;
  await page.route(/\/v1\/trajectories\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const read = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise);
    const [from, limit, size] = [read('cursor', 0), read('limit', 100), read('pages', 0)];
    const rest = TRAJECTORIES - from;
    const cursors = Array.from({ length: size === 0 ? 0 : Math.ceil(rest / size) - 1 }, (_, index) =>
      String(from + (index + 1) * size),
    );
    const reply: TrajectoryPage = {
      trajectories: Array.from({ length: Math.min(limit, rest) }, (_, index) => makeSummary(from + index)),
      next_cursor: limit < rest ? String(from + limit) : null,
      ...(size === 0 ? {} : { pages: { count: rest, cursors } }),
    };
    return route.fulfill({ json: reply });
  });
  await page.getByRole('link', { name: 'Trajectories', exact: true }).click();
  const all = TRAJECTORIES.toLocaleString('en');
  await page.getByText(all, { exact: true }).waitFor({ timeout: PATIENCE_MS });
  await reportScroll(context, opened, { name: `${all} trajectories scrolled from end to end`, selector: '.pick-list' });
  const last = page.locator('.pick', { hasText: makeSummary(TRAJECTORIES - 1).title ?? '' });
  const isThere = await last.waitFor({ timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  );
  context.report({
    name: 'the last of them is reached on the real page',
    figure: isThere ? 'yes' : 'no',
    bar: 'yes',
    ok: isThere,
  });
}

async function measureLongTrajectory(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  const { page } = opened;
  const turns = makeTurns(TURNS);
  const summary = { ...makeSummary(1), turn_count: TURNS };
  await page.route(/\/v1\/trajectories\/t\d+\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(query.get('from') ?? 0), Number(query.get('limit') ?? TURNS)];
    const next = from + limit < TURNS ? from + limit : null;
    const reply: TrajectoryDetail = { summary, turns: turns.slice(from, from + limit), gaps: [], next_turn: next };
    return route.fulfill({ json: reply });
  });
  await page.route(/\/v1\/feedback\?trajectory_id=t\d+/, (route) => route.fulfill({ json: { feedback: [] } }));
  const before = await opened.measure();
  // Whichever row it is: all of them open the long one.
  await page.locator('.pick').last().click();
  await page.locator('.transcript .event').first().waitFor({ timeout: PATIENCE_MS });
  const first = await opened.measure();
  const events = (TURNS * 2).toLocaleString('en');
  reportWork(context, `${events} events: the first are read`, first.taskMs - before.taskMs);
  // The others come in behind what is read: at the end stands the last turn when all are there.
  const isAtEnd = `(() => {
    const list = document.querySelector('.transcript');
    list.scrollTop = list.scrollHeight;
    return [...list.querySelectorAll('.event-turn')].some(({ textContent }) => textContent === 'turn ${TURNS}');
  })()`;
  const deadline = Date.now() + PATIENCE_MS;
  while ((await page.evaluate(isAtEnd)) !== true) {
    if (Date.now() > deadline) throw new Error(`turn ${TURNS} did not come within ${PATIENCE_MS / 1_000} s`);
    await page.waitForTimeout(500);
  }
  reportWork(context, `${events} events: the last are, too`, (await opened.measure()).taskMs - before.taskMs);
}

function reportWork(context: ScenarioContext, name: string, taskMs: number): void {
  context.report({
    name,
    figure: `${taskMs.toFixed(0)} ms of work`,
    bar: `≤ ${READABLE_MS} ms`,
    ok: taskMs <= READABLE_MS,
  });
}
