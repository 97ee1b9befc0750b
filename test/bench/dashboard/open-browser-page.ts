import { chromium, type CDPSession, type Page } from 'playwright-core';
import { findChromium } from '../../kit/find-chromium.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** A page in Debian's Chromium, with what the browser knows of the work it did. */
export interface BrowserPage {
  readonly page: Page;
  /** Milliseconds of its thread so far, in script and in all, and elements and all nodes that are in the document. */
  measure(): Promise<{ scriptMs: number; taskMs: number; elements: number; nodes: number }>;
  /** The longest task of the page's thread while something is done, in milliseconds of that thread's own clock. */
  findLongestTask(act: () => Promise<unknown>): Promise<number>;
  /** Errors of the console, what the content policy refused, calls to elsewhere. */
  readonly problems: string[];
}

/** Undefined where there is no browser. */
export async function openBrowserPage(
  context: ScenarioContext,
  address: string,
  size = { width: 1_440, height: 900 },
): Promise<BrowserPage | undefined> {
  const program = findChromium();
  if (program === undefined) return undefined;
  // As root a browser has no sandbox of its own.
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
  context.defer(() => browser.close());
  const page = await browser.newPage({ viewport: size });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(address).origin) && !request.url().startsWith('data:'))
      problems.push(request.url());
  });
  const session: CDPSession = await page.context().newCDPSession(page);
  // By the clock of the thread: a machine with other work on it is no slower a page.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(address);
  return {
    page,
    problems,
    async findLongestTask(act) {
      await browser.startTracing(page, { categories: ['toplevel'] });
      await act();
      return readLongestTask(await browser.stopTracing());
    },
    async measure() {
      const { metrics } = await session.send('Performance.getMetrics');
      const [elements, nodes] = (await page.evaluate(
        // A string, because a function here would be one of Node's.
        `[document.querySelectorAll('*').length, document.evaluate('count(//node())', document, null, 1).numberValue]`,
      )) as [number, number];
      const read = (wanted: string): number =>
        (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN) * 1_000;
      return { scriptMs: read('ScriptDuration'), taskMs: read('TaskDuration'), elements, nodes };
    },
  };
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the thread. */
  tdur?: number;
  args: { name?: string };
}

function readLongestTask(trace: Buffer): number {
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const nameOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(nameOf),
  );
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && pages.has(nameOf(event)));
  if (tasks.length === 0) throw new Error('the trace of the browser has no task of a page in it');
  return Math.max(...tasks.map(({ tdur }) => (tdur ?? 0) / 1_000));
}
