import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { openBrowserPage, type BrowserPage } from '../open-browser-page.ts';
import { reportScroll } from '../scroll-through.ts';
import { serveFolder } from '../serve-folder.ts';

const DASHBOARD = fileURLToPath(new URL('../../../../apps/dashboard/', import.meta.url));
const TOKENS = 1_000_000;
const EVENTS = 100_000;
const ROWS = 1_000_000;
const POINTS = 200_000;
const MAX_NODES = 1_500;

const run = promisify(execFile);

/** `pnpm bench dashboard/reading`. */
export const readingScenario: Scenario = {
  name: 'reading',
  title:
    'a million tokens, a transcript of a hundred thousand events and a list of a million rows, by script time and nodes',
  async run(context) {
    const address = await serveFolder(context, await buildParts(context));
    const opened = await openBrowserPage(context, address);
    if (opened === undefined) {
      context.reportNotRun({ name: 'reading', why: 'there is no /usr/bin/chromium', bar: 'opened in a browser' });
      return;
    }
    await opened.page.waitForFunction('window.parts !== undefined');
    await measureTokens(context, opened);
    await measureTranscript(context, opened);
    await measureLists(context, opened);
    await measureDiffs(context, opened);
    await measureChart(context, opened);
    context.report({
      name: 'console errors, refusals of the content policy, calls to elsewhere',
      figure: opened.problems.length === 0 ? '0' : `${opened.problems.length}: ${opened.problems[0]}`,
      bar: '0',
      ok: opened.problems.length === 0,
    });
  },
};

async function buildParts(context: ScenarioContext): Promise<string> {
  const folder = await context.scratch();
  await run('npx', ['vite', 'build', 'bench', '--config', 'vite.config.ts', '--outDir', folder, '--emptyOutDir'], {
    cwd: DASHBOARD,
  });
  return folder;
}

async function measureTokens(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  const { page } = opened;
  // Code that has run once is what a reader has: the first sequence of a visit is small.
  await page.evaluate(`parts.prepareTokens(8192); parts.openTokens()`);
  await page.evaluate(`parts.prepareTokens(${TOKENS})`);
  const open = await timeScript(opened, `parts.openTokens()`);
  report(context, `${TOKENS.toLocaleString('en')} tokens open`, open, 100);
  const { elements, nodes } = await opened.measure();
  context.report({
    name: 'nodes of the token view',
    figure: `${elements} elements (${nodes} nodes with their texts)`,
    bar: `≤ ${MAX_NODES}`,
    ok: elements <= MAX_NODES,
  });
  const colour = await timeScript(opened, `parts.colourTokens('drift')`);
  report(context, 'another colour', colour, 100);
  await reportScroll(context, opened, { name: 'tokens scrolled from end to end', selector: '.tokens .virtual' });
}

async function measureTranscript(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  await opened.page.evaluate(`parts.prepareTranscript(${EVENTS / 2})`);
  const open = await timeScript(opened, `parts.openTranscript()`);
  report(context, `${EVENTS.toLocaleString('en')} events readable`, open, 2_000);
  const { elements } = await opened.measure();
  context.report({
    name: 'nodes of the transcript',
    figure: String(elements),
    bar: `≤ ${MAX_NODES}`,
    ok: elements <= MAX_NODES,
  });
  await reportScroll(context, opened, { name: 'transcript scrolled from end to end', selector: '.transcript' });
}

async function measureLists(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  report(
    context,
    `${ROWS.toLocaleString('en')} trajectories open`,
    await timeScript(opened, `parts.openList(${ROWS})`),
    100,
  );
  await reportScroll(context, opened, { name: 'list scrolled from end to end', selector: '.pick-list' });
  const last = await opened.page.locator('.pick').last().textContent();
  context.report({
    name: 'the last of a million rows is reached',
    figure: (last ?? '').slice(0, 40),
    bar: `row ${ROWS - 1}`,
    ok: (last ?? '').includes(String(ROWS - 1)),
  });
  report(context, '1,024 groups of 16 open', await timeScript(opened, `parts.openStrips(1024, 16)`), 100);
  await reportScroll(context, opened, { name: 'strips scrolled from end to end', selector: '.pick-list' });
}

async function measureDiffs(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  report(
    context,
    'two conversations of 1,000 messages compared',
    await timeScript(opened, `parts.openDiff(1000)`),
    500,
  );
  const isCutShort = await opened.page.evaluate(`parts.diffUnrelated(40000)`);
  const unrelated = await timeScript(opened, `parts.diffUnrelated(40000)`);
  report(context, 'two replies of 40,000 words with nothing in common', unrelated, 1_000);
  context.report({ name: 'and it says so', figure: String(isCutShort), bar: 'true', ok: isCutShort === true });
}

async function measureChart(context: ScenarioContext, opened: BrowserPage): Promise<void> {
  const { page } = opened;
  // Code that has run once is what a reader has: a page draws six charts.
  await page.evaluate(`parts.prepareChart(1000); parts.openChart()`);
  await page.evaluate(`parts.prepareChart(${POINTS})`);
  const points = POINTS.toLocaleString('en');
  report(context, `${points} points with their band drawn`, await timeScript(opened, `parts.openChart()`), 50);
  report(context, `${points} points drawn again`, await timeScript(opened, `parts.updateChart()`), 50);
}

/** Script time of what is called, to the frame in which it is seen. */
async function timeScript(opened: BrowserPage, call: string): Promise<number> {
  const before = await opened.measure();
  // In a task of the page: what the debugger evaluates is not counted as the page's own.
  await opened.page.evaluate(`new Promise((done) => setTimeout(() => {
    ${call};
    requestAnimationFrame(() => setTimeout(done, 0));
  }, 0))`);
  return (await opened.measure()).scriptMs - before.scriptMs;
}

function report(context: ScenarioContext, name: string, scriptMs: number, bar: number): void {
  context.report({ name, figure: `${scriptMs.toFixed(0)} ms of script`, bar: `≤ ${bar} ms`, ok: scriptMs <= bar });
}
