import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { TrajectoryDetail } from '@lachesis/protocol';

import { readPage } from '../../kit/read-page.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { findChromium } from '../../kit/find-chromium.ts';
import { openBrowser, type Browser } from './open-browser.ts';
import { openApp, type ThumbsApp } from './open-app.ts';

const CLICKS = 10;
/** Sending, reading and attaching take a moment. */
const PATIENCE_MS = 15_000;
const BAR = 'the turn under the button, up as up and down as down';

/** A thumb as it was clicked in the page: under which answer, and which one. */
interface Click {
  answer: string;
  isUp: boolean;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** `pnpm e2e thumbs`: the example app in Debian's Chromium, from packed packages, tokens on. */
export const scenarios: Scenario[] = [
  {
    name: 'clicks',
    title: 'a click in the page is feedback on the turn it stands under, before and after its record; improve uses it',
    run: async (context) => {
      await showPage(context);
      const chromium = findChromium();
      if (chromium === undefined) {
        const why = 'there is no chromium here: apt-get install chromium';
        context.reportNotRun({ name: 'thumbs in a browser', why, bar: BAR });
        return;
      }
      const app = await openApp(context);
      const browser = await openBrowser({ chromium, folder: await context.scratch() });
      context.defer(async () => browser[Symbol.asyncDispose]());
      await showBefore(context, app, browser);
      await showAfter(context, app, browser);
      await showImprove(context, app, browser);
      await showFault(context, app, browser);
    },
  },
];

/** The guide has the example word for word, and it is as short as it says. */
async function showPage(context: ScenarioContext): Promise<void> {
  const page = await readFile(join(ROOT, 'docs/guides/your-own-thumbs-button.md'), 'utf8');
  const files = readPage(page).flatMap((block) => (block.kind === 'file' ? [block] : []));
  const folder = join(ROOT, 'examples/thumbs-button');
  const other: string[] = [];
  for (const { name, text } of files) {
    if ((await readFile(join(folder, name), 'utf8')).trimEnd() !== text.trimEnd()) other.push(name);
  }
  const lines = (await readFile(join(folder, 'server.ts'), 'utf8')).trimEnd().split('\n').length;
  context.report({
    name: 'the guide and its example',
    figure: `${files.length - other.length} of ${files.length} files are the same, ${lines} lines of program`,
    bar: 'all of 2, at most 40 lines',
    ok: files.length === 2 && other.length === 0 && lines <= 40,
  });
}

/** Records are on the road while people click: both thumbs wait, and find their turns of one conversation. */
async function showBefore(context: ScenarioContext, app: ThumbsApp, browser: Browser): Promise<void> {
  app.road.hold();
  await browser.goTo(app.url);
  await ask(browser, ['before one', 'before two']);
  const clicks = [await click(browser, 0, true), await click(browser, 1, false)];
  const waiting = await app.library.listFeedback({ waiting: true });
  const early = await app.library.listFeedback();
  app.road.letGo();
  const wrong = await findWrong(app, clicks);
  context.report({
    name: 'clicked before the record arrived',
    figure: `${waiting.length} waited, ${early.length} counted before; then ${describe(clicks, wrong)}`,
    bar: `2 waited, 0 counted; ${BAR}`,
    ok: waiting.length === 2 && early.length === 0 && wrong.length === 0,
  });
}

/** Three turns, recorded; the last two are clicked, one of them twice and the other way round. */
async function showAfter(context: ScenarioContext, app: ThumbsApp, browser: Browser): Promise<void> {
  await browser.goTo(app.url);
  await ask(browser, ['after one', 'after two', 'after three']);
  await waitFor(() => isRecorded(app, 'answer to after three'));
  await click(browser, 1, true);
  const clicks = [await click(browser, 1, false), await click(browser, 2, true)];
  const wrong = await findWrong(app, clicks);
  const untouched = (await readRatings(app)).filter(({ answer }) => answer === 'answer to after one');
  const waiting = await app.library.listFeedback({ waiting: true });
  context.report({
    name: 'clicked after the record arrived',
    figure: `${describe(clicks, wrong)}; ${untouched.length} on the turn nobody clicked, ${waiting.length} wait`,
    bar: `${BAR}; 0 on another, 0 wait`,
    ok: wrong.length === 0 && untouched.length === 0 && waiting.length === 0,
  });
}

/** Ten people ask once and click once; `improve` then has their ratings, and rows made of them. */
async function showImprove(context: ScenarioContext, app: ThumbsApp, browser: Browser): Promise<void> {
  const clicks: Click[] = [];
  for (let person = 0; person < CLICKS; person += 1) {
    await browser.goTo(app.url);
    await ask(browser, [`question ${person}`]);
    clicks.push(await click(browser, 0, person % 2 === 0));
  }
  const wrong = await findWrong(app, clicks);
  // A gate that no ten clicks pass: it ends with its rows counted, before anything is trained.
  const gates = ['--min-ratings', String(CLICKS), '--min-rows', '100000'];
  const printed = await app.lachesis('improve', '--model', 'scripted', '--method', 'kto', ...gates, '--json');
  const { stages, outcome } = readReport(printed);
  const ratings = stages?.rate?.ratings ?? 0;
  const rows = (stages?.dataset?.rows ?? 0) + (stages?.dataset?.held_out_rows ?? 0);
  context.report({
    name: `improve after ${CLICKS} clicks`,
    figure: `${describe(clicks, wrong)}; improve has ${ratings} ratings and ${rows} rows, and ends as ${outcome}`,
    bar: `all ${CLICKS} right; at least ${CLICKS} ratings and rows, too-few-rows`,
    ok: wrong.length === 0 && ratings >= CLICKS && rows >= CLICKS && outcome === 'too-few-rows',
  });
}

/** A writer that takes the turn before the one that was clicked. */
async function showFault(context: ScenarioContext, app: ThumbsApp, browser: Browser): Promise<void> {
  await browser.goTo(app.url);
  await ask(browser, ['fault one', 'fault two']);
  await click(browser, 0, true);
  app.road.mislead(app.road.rated.at(-1));
  const clicks = [await click(browser, 1, false)];
  app.road.mislead(undefined);
  const wrong = await findWrong(app, clicks, 3_000);
  context.report({
    name: 'seeded fault: a writer that attaches to the wrong turn',
    figure: wrong.length === 0 ? 'not caught' : `caught: ${wrong.join('; ')}`,
    bar: 'caught',
    ok: wrong.length > 0,
  });
}

async function ask(browser: Browser, questions: readonly string[]): Promise<void> {
  for (const [place, question] of questions.entries()) {
    await browser.read(`(document.querySelector('#question').value = '', document.querySelector('#question').focus())`);
    await browser.type(question);
    await waitFor(() => browser.read(`document.querySelectorAll('blockquote button').length === ${(place + 1) * 2}`));
  }
}

/** Clicks under the n-th answer, and waits until the page shows that it was said. */
async function click(browser: Browser, place: number, isUp: boolean): Promise<Click> {
  const button = place * 2 + (isUp ? 0 : 1);
  await browser.click('blockquote button', button);
  await waitFor(() =>
    browser.read(`document.querySelectorAll('blockquote button')[${button}].classList.contains('said')`),
  );
  const answer = await browser.read<string>(`document.querySelectorAll('blockquote')[${place}].firstChild.textContent`);
  return { answer, isUp };
}

const describe = (clicks: readonly Click[], wrong: readonly string[]): string =>
  `${clicks.length - wrong.length} of ${clicks.length} on the right turn${wrong.map((each) => `; ${each}`).join('')}`;

/** Clicks that the library does not have, or has about another answer. */
async function findWrong(app: ThumbsApp, clicks: readonly Click[], patienceMs = PATIENCE_MS): Promise<string[]> {
  let wrong: string[] = [];
  await waitFor(async () => {
    const ratings = await readRatings(app);
    wrong = clicks.flatMap(({ answer, isUp }) => {
      const said = ratings.filter((rating) => rating.answer === answer).map((rating) => rating.isUp);
      return said.length === 1 && said[0] === isUp ? [] : [`${JSON.stringify(answer)} has ${JSON.stringify(said)}`];
    });
    return wrong.length === 0;
  }, patienceMs).catch(() => undefined);
  return wrong;
}

/** Every thumb that holds, with the words of the turn it is on. */
async function readRatings({ library }: ThumbsApp): Promise<Click[]> {
  const details = new Map<string, TrajectoryDetail | undefined>();
  const ratings: Click[] = [];
  for (const { feedback } of await library.listFeedback()) {
    if (feedback.kind !== 'thumb') continue;
    const { trajectory_id: id, turn_index: index } = feedback;
    if (!details.has(id)) details.set(id, await library.readTrajectory(id));
    const turn = details.get(id)?.turns.find((each) => each.turn_index === index);
    const content = turn?.replies[0]?.message.content;
    ratings.push({ answer: typeof content === 'string' ? content : 'no turn', isUp: feedback.is_up });
  }
  return ratings;
}

async function isRecorded({ library }: ThumbsApp, text: string): Promise<boolean> {
  return (await library.listTrajectories({ filter: { text: `"${text}"` } })).trajectories.length > 0;
}

interface ImproveReport {
  outcome?: string;
  stages?: { rate?: { ratings: number }; dataset?: { rows: number; held_out_rows: number } };
}

const readReport = (printed: string): ImproveReport => JSON.parse(printed.slice(printed.indexOf('{'))) as ImproveReport;

async function waitFor(isSo: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  for (const until = performance.now() + patienceMs; ; await sleep(100)) {
    if (await isSo()) return;
    if (performance.now() > until) throw new Error('it did not come to what was waited for');
  }
}
