import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialog, Page, Request } from 'playwright-core';
import { z } from 'zod';
import type { EgressRule } from '../../../egress/create-egress-rule.ts';
import type { AgentTool, ToolContext } from '../../agent-tool.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolError } from '../../tool-error.ts';
import { replyWithImages, type ToolImage } from '../../tool-reply.ts';
import type { ToolRun } from '../../tool-run.ts';
import { findChromium } from './find-chromium.ts';
import { goTo } from './go-to.ts';
import { openBrowser, type OpenedBrowser } from './open-browser.ts';

export interface BrowserToolsOptions {
  /** Hosts that pages may come from, of those that the rule lets anybody ask. Default: all of them. */
  readonly allow?: readonly string[] | undefined;
  /** Default: the public internet, and what LACHESIS_EGRESS_ALLOW adds. */
  readonly rule?: EgressRule | undefined;
  /** Chromium's program. Default: LACHESIS_CHROMIUM, then what is on the PATH. */
  readonly executable?: string | undefined;
  /** Where LACHESIS_CHROMIUM and PATH are. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Asks a model that can see about a screenshot; without it there is no `browser_vision`. */
  readonly look?: ((image: ToolImage, question: string, signal: AbortSignal) => Promise<string>) | undefined;
}

/** The tools, and the end of the browsers that no run owns. */
export interface BrowserTools {
  readonly tools: readonly AgentTool[];
  close(): Promise<void>;
}

const CALL_MS = 120_000;
const PAGE_MS = 45_000;
const ACTION_MS = 5_000;
/** After a click or a key: a page that leads elsewhere begins to by then. */
const BEGIN_MS = 500;
const SETTLE_MS = 3_000;
const SHORT_SNAPSHOT = 8_000;
const LONG_SNAPSHOT = 60_000;
const MOST_IMAGES = 50;
/** What a page says in a dialog is its own words, as long as it likes. */
const LONGEST_MESSAGE = 1_000;
const ref = z.string().min(1).describe('of the last snapshot, such as @e5');

/**
 * A browser for each run, in a sandbox of its own behind our proxy: navigate, snapshot, click, type, scroll, back, press,
 * images, vision, console, dialog and close. It is started by the first `browser_navigate`, and ends with its run.
 */
export function createBrowserTools(options: BrowserToolsOptions = {}): BrowserTools {
  const { look } = options;
  const browsers = keepBrowsers(options);
  const tool = <S extends z.ZodObject>(
    name: string,
    description: string,
    input: S,
    work: (args: z.output<S>, page: Page, context: ToolContext) => Promise<unknown>,
  ): AgentTool =>
    defineTool({
      ...{ name, description, input, timeoutMs: CALL_MS },
      execute: async (args, context) => {
        const opened = await browsers.need(name, context.run);
        return untilDialog(name, opened, () => work(args, opened.page(), context));
      },
    });
  const tools = [
    defineTool({
      name: 'browser_navigate',
      description:
        'Opens a page in the browser and gives its title and a snapshot. Call it before the other browser tools.',
      timeoutMs: CALL_MS,
      input: z.object({ url: z.string().min(1).describe('http or https') }),
      execute: async ({ url }, context) => {
        const address = readAddress(url);
        const opened = await browsers.open(context.run);
        return untilDialog('browser_navigate', opened, () => navigate(opened, address));
      },
    }),
    tool(
      'browser_snapshot',
      'Gives the page as text: its elements with refs such as @e5, for browser_click and browser_type.',
      z.object({ full: z.boolean().default(false).describe('the whole page, also where it is long') }),
      async ({ full }, page) => ({ success: true, ...(await describePage(page, full)) }),
    ),
    tool('browser_click', 'Clicks an element.', z.object({ ref }), async (args, page) => {
      await act(page, () => page.getByRef(readRef(args.ref)).click({ timeout: ACTION_MS }));
      return { success: true, clicked: args.ref, url: page.url(), title: await page.title() };
    }),
    tool(
      'browser_type',
      'Types text into a field; what was in it is cleared first.',
      z.object({ ref, text: z.string() }),
      async (args, page) => {
        await page.getByRef(readRef(args.ref)).fill(args.text, { timeout: ACTION_MS });
        return { success: true, typed: args.text, into: args.ref };
      },
    ),
    tool(
      'browser_scroll',
      'Scrolls the page.',
      z.object({ direction: z.enum(['up', 'down']) }),
      async ({ direction }, page) => {
        const sign = direction === 'down' ? 1 : -1;
        await page.evaluate(`window.scrollBy(0, ${sign} * Math.round(window.innerHeight * 0.8))`);
        return {
          success: true,
          scrolled: direction,
          position: await page.evaluate('Math.round(window.scrollY)'),
          height: await page.evaluate('document.documentElement.scrollHeight'),
        };
      },
    ),
    tool('browser_back', 'Goes back to the page before.', z.object({}), async (_args, page) => {
      await page.goBack({ timeout: PAGE_MS, waitUntil: 'commit' });
      await settle(page);
      return { success: true, url: page.url(), title: await page.title() };
    }),
    tool(
      'browser_press',
      'Presses a key in what has the focus, such as Enter, Tab, Escape or ArrowDown.',
      z.object({ key: z.string().min(1) }),
      async ({ key }, page) => {
        await act(page, () => page.keyboard.press(key));
        return { success: true, pressed: key, url: page.url() };
      },
    ),
    tool(
      'browser_get_images',
      'Lists the images of the page with their addresses.',
      z.object({}),
      async (_args, page) => {
        const images = (await page.evaluate(LIST_IMAGES)) as unknown[];
        return { success: true, count: images.length, images: images.slice(0, MOST_IMAGES) };
      },
    ),
    ...(look === undefined
      ? []
      : [
          tool(
            'browser_vision',
            'Takes a screenshot of the page and answers a question about what is to be seen.',
            z.object({ question: z.string().min(1).default('Describe the page.') }),
            async ({ question }, page, { signal }) => {
              const bytes = await page.screenshot({ type: 'png', timeout: PAGE_MS });
              const image: ToolImage = { mediaType: 'image/png', data: bytes.toString('base64') };
              return replyWithImages({ success: true, analysis: await look(image, question, signal) }, [image]);
            },
          ),
        ]),
    defineTool({
      name: 'browser_console',
      description:
        'Gives what the pages wrote to their console and which errors their scripts threw; with an expression, what it is in the page.',
      timeoutMs: CALL_MS,
      input: z.object({
        clear: z.boolean().default(false).describe('forget them afterwards'),
        expression: z.string().min(1).optional().describe('JavaScript, evaluated in the page'),
      }),
      execute: async ({ clear, expression }, { run }) => {
        const opened = await browsers.need('browser_console', run);
        if (expression !== undefined) {
          return untilDialog('browser_console', opened, () => evaluate(opened.page(), expression));
        }
        const { messages, errors } = opened.watched;
        const said = {
          success: true,
          console_messages: [...messages],
          js_errors: errors.map((message) => ({ message })),
        };
        if (clear) opened.watched.clear();
        return said;
      },
    }),
    defineTool({
      name: 'browser_dialog',
      description:
        'Answers the alert, confirm or prompt that the page stands still at. The other tools say when one is open.',
      timeoutMs: CALL_MS,
      input: z.object({
        action: z.enum(['accept', 'dismiss']),
        prompt_text: z.string().optional().describe('what is entered into a prompt'),
      }),
      execute: async ({ action, prompt_text: text }, { run }) =>
        answerDialog(await browsers.need('browser_dialog', run), action, text),
    }),
    defineTool({
      name: 'browser_close',
      description: 'Closes the browser. browser_navigate opens another.',
      timeoutMs: CALL_MS,
      input: z.object({}),
      execute: async (_args, { run }) => ({ success: true, was_open: await browsers.close(run) }),
    }),
  ];
  return { tools, close: () => browsers.closeAll() };
}

/** One browser for each run; those that are asked for without a run share one. */
function keepBrowsers(options: BrowserToolsOptions) {
  const opened = new Map<ToolRun | undefined, Promise<OpenedBrowser>>();
  const close = async (run: ToolRun | undefined): Promise<boolean> => {
    const known = opened.get(run);
    opened.delete(run);
    const [settled] = await Promise.allSettled([known]);
    if (settled.status === 'fulfilled') await settled.value?.close();
    return known !== undefined;
  };
  return {
    /** The one that is open; the tool is told where there is none. */
    async need(name: string, run: ToolRun | undefined): Promise<OpenedBrowser> {
      const known = await opened.get(run);
      if (known !== undefined) return known;
      throw new ToolError({
        what: `${name} was not run`,
        reason: 'no page is open',
        hint: 'Call browser_navigate first',
      });
    },
    open(run: ToolRun | undefined): Promise<OpenedBrowser> {
      const known = opened.get(run);
      if (known !== undefined) return known;
      const starting = start(options);
      opened.set(run, starting);
      run?.onEnd(async () => void (await close(run)));
      // The next call tries again.
      starting.catch(() => opened.delete(run));
      return starting;
    },
    close,
    closeAll: async () => void (await Promise.all([...opened.keys()].map(close))),
  };
}

async function start({
  executable,
  env = process.env,
  allow = ['*'],
  rule,
}: BrowserToolsOptions): Promise<OpenedBrowser> {
  const chromium = findChromium({ executable, env });
  if (chromium !== undefined) return openBrowser({ chromium, allow, rule });
  throw new ToolError({
    what: 'The browser was not started',
    reason: 'there is no Chromium on this machine',
    hint: 'Whoever runs this agent installs it (apt-get install chromium) or sets LACHESIS_CHROMIUM; go on without the browser',
  });
}

const STANDS_STILL = Symbol('a dialog is open');

/** Works in the page, until it is done or a dialog opens, at which the page stands still. */
async function untilDialog(name: string, { watched }: OpenedBrowser, work: () => Promise<unknown>): Promise<unknown> {
  const waiting = watched.dialog();
  if (waiting !== undefined) {
    throw new ToolError({
      what: `${name} was not run`,
      reason: `the page stands still at ${describeDialog(waiting)}`,
      hint: 'Call browser_dialog first, to accept or to dismiss it',
    });
  }
  const working = tellModel(name, work);
  const outcome = await Promise.race([working, watched.untilDialog().then(() => STANDS_STILL)]);
  const opened = watched.dialog();
  if (outcome !== STANDS_STILL || opened === undefined) return outcome === STANDS_STILL ? working : outcome;
  // It goes on when the dialog is answered, or gives up; what it would have said is seen in the next snapshot.
  working.catch(() => undefined);
  const { type, message } = readDialog(opened);
  return { success: true, dialog: { type, message }, next: 'browser_dialog accepts or dismisses it' };
}

async function answerDialog(
  opened: OpenedBrowser,
  action: 'accept' | 'dismiss',
  text: string | undefined,
): Promise<unknown> {
  const dialog = opened.watched.takeDialog();
  if (dialog === undefined) {
    throw new ToolError({ what: 'browser_dialog was not run', reason: 'no dialog is open', hint: 'Go on without it' });
  }
  return tellModel('browser_dialog', async () => {
    await (action === 'accept' ? dialog.accept(text) : dialog.dismiss());
    // What the page does with the answer, as after a click; another dialog may be the answer.
    await Promise.race([opened.watched.untilDialog(), sleep(BEGIN_MS)]);
    const next = opened.watched.dialog();
    if (next === undefined) await settle(opened.page());
    return {
      ...{ success: true, action, ...readDialog(dialog), url: opened.page().url() },
      ...(next === undefined ? {} : { dialog: readDialog(next) }),
    };
  });
}

const readDialog = (dialog: Dialog): { type: string; message: string } => ({
  type: dialog.type(),
  message: dialog.message().slice(0, LONGEST_MESSAGE),
});

function describeDialog(dialog: Dialog): string {
  const { type, message } = readDialog(dialog);
  return `${type === 'alert' ? 'an' : 'a'} ${type}: ${JSON.stringify(message)}`;
}

async function evaluate(page: Page, expression: string): Promise<unknown> {
  const value: unknown = await page.evaluate(expression);
  const text = JSON.stringify(value) ?? 'undefined';
  const isLong = text.length > SHORT_SNAPSHOT;
  return { success: true, result: isLong ? `${text.slice(0, SHORT_SNAPSHOT)}…` : (value ?? null), type: typeof value };
}

async function navigate(opened: OpenedBrowser, address: string): Promise<unknown> {
  const { failure, refused } = await goTo(opened, address);
  if (refused !== undefined) {
    throw new ToolError({
      what: `${address} was not opened`,
      reason: refused.reason,
      hint: refused.verdict === 'failed' ? 'Try again, or another page' : 'Open another page; this one stays closed',
    });
  }
  if (failure !== undefined) throw describeFailure('browser_navigate', failure);
  const page = opened.page();
  await settle(page);
  return { success: true, ...(await describePage(page, false)) };
}

async function describePage(page: Page, isFull: boolean): Promise<{ url: string; title: string; snapshot: string }> {
  const tree = await page.ariaSnapshot({ mode: 'ai', timeout: ACTION_MS });
  const text = tree.replaceAll(/\[ref=((?:f\d+)?e\d+)\]/g, '[@$1]');
  const most = isFull ? LONG_SNAPSHOT : SHORT_SNAPSHOT;
  const rest = text.length - most;
  const snapshot =
    rest <= 0
      ? text
      : `${text.slice(0, most)}\n… ${rest} more characters${isFull ? '' : '; browser_snapshot with full'}`;
  return { url: page.url(), title: await page.title(), snapshot };
}

/** Does something that may lead to another page, and waits for that page. */
async function act(page: Page, work: () => Promise<unknown>): Promise<void> {
  let isLeaving = false;
  const arrived = page.waitForEvent('framenavigated', {
    predicate: (frame) => frame === page.mainFrame(),
    timeout: PAGE_MS,
  });
  arrived.catch(() => undefined);
  const notice = (request: Request): void => void (isLeaving ||= request.isNavigationRequest());
  page.on('request', notice);
  try {
    await work();
    await Promise.race([arrived.catch(() => undefined), sleep(BEGIN_MS)]);
    if (isLeaving) await Promise.race([arrived.catch(() => undefined), sleep(SETTLE_MS)]);
  } finally {
    page.off('request', notice);
  }
  await settle(page);
}

/** Waits for what the page still loads, as long as it is short. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load', { timeout: SETTLE_MS }).catch(() => undefined);
}

function readAddress(given: string): string {
  const text = /^[a-z][a-z0-9+.-]*:/i.test(given) && !/^[^/]+:\d+(?:\/|$)/.test(given) ? given : `https://${given}`;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href;
  throw new ToolError({
    what: `${JSON.stringify(given.slice(0, 200))} was not opened`,
    reason: 'it is no http or https address',
    hint: 'Give one such as https://example.com/page',
  });
}

function readRef(given: string): string {
  const found = /^@?(?:ref=)?((?:f\d+)?e\d+)$/.exec(given.trim())?.[1];
  if (found !== undefined) return found;
  throw new ToolError({
    what: `${JSON.stringify(given.slice(0, 100))} is no element`,
    hint: 'Give a ref of the last snapshot, such as @e5',
  });
}

async function tellModel<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ToolError.isInstance(error) ? error : describeFailure(name, error);
  }
}

/** The driver's first line; the rest is its log. */
function describeFailure(name: string, error: unknown): ToolError {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const isGone = /closed|crashed/i.test(line);
  return new ToolError({
    what: `${name} did not work`,
    reason: line.replace(/^\w+\.\w+: /, '').slice(0, 300),
    hint: isGone
      ? 'The browser is gone: call browser_close, then browser_navigate'
      : 'Take a browser_snapshot: the page may have changed',
    cause: error,
  });
}

const LIST_IMAGES = `[...document.images].map(({ currentSrc, src, alt, naturalWidth, naturalHeight }) =>
  ({ src: currentSrc || src, alt, width: naturalWidth, height: naturalHeight }))
  .filter(({ src }) => src !== '' && !src.startsWith('data:'))`;
