import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startProcess } from '../../kit/start-process.ts';

/** A page as a person has it before them: it is looked at, written into and clicked. */
export interface Browser extends AsyncDisposable {
  goTo(url: string): Promise<void>;
  /** What an expression of the page comes to. */
  read<T>(expression: string): Promise<T>;
  /** Types into what has the focus, and presses Enter. */
  type(text: string): Promise<void>;
  /** Moves the mouse to the n-th element that fits, and presses. */
  click(selector: string, place: number): Promise<void>;
}

const START_MS = 30_000;
const ANSWER_MS = 20_000;

/** Starts it without a window, and drives it over its DevTools protocol. */
export async function openBrowser(options: { chromium: string; folder: string }): Promise<Browser> {
  const { chromium, folder } = options;
  const running = await startProcess({
    name: 'chromium',
    command: chromium,
    args: [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
      ...[`--user-data-dir=${folder}`, '--remote-debugging-port=0', 'about:blank'],
    ],
  });
  try {
    const [port] = await readPort(folder);
    const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as DevToolsPage[];
    const page = pages.find(({ type }) => type === 'page');
    if (page === undefined) throw new Error('the browser has no page');
    const line = await openLine(page.webSocketDebuggerUrl);
    return { ...createHands(line), [Symbol.asyncDispose]: async () => void (await running.stop()) };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

interface DevToolsPage {
  type: string;
  webSocketDebuggerUrl: string;
}

/** It writes its port into a file of its folder when it listens. */
async function readPort(folder: string): Promise<string[]> {
  for (const until = performance.now() + START_MS; performance.now() < until; await sleep(50)) {
    const text = await readFile(join(folder, 'DevToolsActivePort'), 'utf8').catch(() => '');
    if (text.includes('\n')) return text.split('\n');
  }
  throw new Error(`the browser did not listen within ${START_MS} ms`);
}

type Send = (method: string, parameters?: object) => Promise<Record<string, unknown>>;

interface Answer {
  result?: Record<string, unknown>;
  error?: { message: string };
}

async function openLine(url: string): Promise<Send> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('the browser does not answer')), { once: true });
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer & { id?: number };
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_MS);
      waiting.set(id, ({ result, error }) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

function createHands(send: Send): Omit<Browser, typeof Symbol.asyncDispose> {
  async function read<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await send('Runtime.evaluate', {
      ...{ expression, returnByValue: true, awaitPromise: true },
    })) as { result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result?.value as T;
  }

  async function until(expression: string): Promise<void> {
    for (const end = performance.now() + ANSWER_MS; performance.now() < end; await sleep(20)) {
      if (await read<boolean>(expression)) return;
    }
    throw new Error(`the page never came to ${expression}`);
  }

  return {
    read,
    async goTo(url) {
      await send('Page.navigate', { url });
      await until(`location.href.startsWith(${JSON.stringify(url)}) && document.readyState === 'complete'`);
    },
    async type(text) {
      await send('Input.insertText', { text });
      const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...enter });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    },
    async click(selector, place) {
      const element = `document.querySelectorAll(${JSON.stringify(selector)})[${place}]`;
      await until(`${element} !== undefined`);
      const { x, y } = await read<{ x: number; y: number }>(
        `(() => { ${element}.scrollIntoView({ block: 'center' }); const { x, y, width, height } = ${element}.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
      );
      const mouse = { x, y, button: 'left', clickCount: 1 };
      await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
      await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
    },
  };
}
