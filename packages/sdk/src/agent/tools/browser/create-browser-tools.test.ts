import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEgressRule } from '../../../egress/create-egress-rule.ts';
import { readToolReply } from '../../tool-reply.ts';
import { createToolRun, type OpenToolRun } from '../../tool-run.ts';
import { createBrowserTools, type BrowserTools } from './create-browser-tools.ts';
import { findChromium } from './find-chromium.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/': `<title>First</title><h1>Shop</h1><img src="/a.png" alt="a red dot"><a href="/second">Second page</a>
    <form action="/found"><input name="q" aria-label="Search"><button>Go</button></form><div style="height:4000px"></div>`,
  '/second': '<title>Second</title><p>You are on the second page.</p>',
  '/asks': `<title>Asks</title><button onclick="p.textContent = prompt('Your name?', '')">Ask</button><p id="p"></p>
    <script>console.warn('careful'); setTimeout(() => { throw new Error('broken') })</script>`,
  '/greets': '<title>Greets</title><script>alert("hello")</script><p>after it</p>',
  '/found': '<title>Found</title><p id="p"></p><script>p.textContent = "looked for " + location.search</script>',
};

const hasChromium = findChromium() !== undefined;
const seen: string[] = [];
const server = createServer((request, reply) => {
  seen.push(request.url ?? '');
  const page = PAGES[(request.url ?? '').replace(/\?.*/, '')];
  reply.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page ?? 'nothing');
});
let run: OpenToolRun;
let browser: BrowserTools;
let home: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  home = `http://${place}`;
  run = createToolRun();
  browser = createBrowserTools({
    rule: createEgressRule({ allow: place }),
    allow: [place],
    look: async (image, question) => `${question} ${image.mediaType} ${image.data.length > 1_000}`,
  });
});
afterAll(async () => {
  await run.end();
  server.close();
});

async function use(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const tool = browser.tools.find((each) => each.name === name);
  const signal = AbortSignal.timeout(100_000);
  return (await tool?.execute(args, { signal, callId: 'call', run })) as Record<string, unknown>;
}

test('Chromium is found by a setting, a variable or the PATH', () => {
  expect(findChromium({ executable: '/nowhere/chromium' })).toBeUndefined();
  expect(findChromium({ env: { PATH: '/nowhere' } })).toBeUndefined();
  expect(findChromium({ env: { PATH: '', LACHESIS_CHROMIUM: process.execPath } })?.executable).toBe(process.execPath);
  expect(browser.tools.map(({ name }) => name)).toHaveLength(12);
  expect(createBrowserTools().tools.map(({ name }) => name)).not.toContain('browser_vision');
});

test('without a page and without an address the model is told what to do', async () => {
  await expect(use('browser_click', { ref: '@e1' })).rejects.toThrow('Call browser_navigate first');
  await expect(use('browser_navigate', { url: 'file:///etc/passwd' })).rejects.toThrow('no http or https address');
  await expect(use('browser_navigate', { url: 'chrome://version' })).rejects.toThrow('no http or https address');
});

test.runIf(hasChromium)('a run walks through pages, and its browser ends with it', { timeout: 180_000 }, async () => {
  const first = await use('browser_navigate', { url: home });
  expect(first).toMatchObject({ success: true, title: 'First', snapshot: expect.stringContaining('heading "Shop"') });
  const refOf = (text: string, snapshot: unknown): string =>
    new RegExp(`${text}.*\\[(@\\w+)\\]`).exec(String(snapshot))?.[1] ?? `no ${text} in ${String(snapshot)}`;

  expect(await use('browser_get_images')).toMatchObject({ images: [{ src: `${home}/a.png`, alt: 'a red dot' }] });
  expect(await use('browser_scroll', { direction: 'down' })).toMatchObject({ position: 640 });
  const looked = readToolReply(await use('browser_vision', { question: 'What is it?' }));
  expect(looked.result).toMatchObject({ analysis: 'What is it? image/png true' });
  expect(looked.images).toHaveLength(1);

  const link = refOf('link "Second page"', first['snapshot']);
  expect(await use('browser_click', { ref: link })).toMatchObject({ title: 'Second', url: `${home}/second` });
  expect(await use('browser_back')).toMatchObject({ title: 'First' });

  const { snapshot } = await use('browser_snapshot');
  await use('browser_type', { ref: refOf('textbox "Search"', snapshot), text: 'two words' });
  expect(await use('browser_press', { key: 'Enter' })).toMatchObject({ url: `${home}/found?q=two+words` });
  expect((await use('browser_snapshot', { full: true }))['snapshot']).toContain('looked for ?q=two+words');

  await expect(use('browser_click', { ref: '@e999' })).rejects.toThrow('Take a browser_snapshot');
  await expect(use('browser_click', { ref: 'Go' })).rejects.toThrow('such as @e5');
  await expect(use('browser_navigate', { url: 'https://example.com' })).rejects.toThrow('not among the hosts');
  await expect(use('browser_navigate', { url: 'http://169.254.169.254/' })).rejects.toThrow('clouds serve credentials');

  // A refused page's error page is still on its way when the next is asked for.
  for (let round = 0; round < 3; round += 1) {
    await expect(use('browser_navigate', { url: 'https://example.com' })).rejects.toThrow('not among the hosts');
    await expect(use('browser_navigate', { url: 'http://169.254.169.254/' })).rejects.toThrow('clouds');
    expect(await use('browser_navigate', { url: home })).toMatchObject({ title: 'First' });
  }

  const asking = await use('browser_navigate', { url: `${home}/asks` });
  expect(await use('browser_console')).toMatchObject({
    console_messages: expect.arrayContaining([{ type: 'warning', text: 'careful' }]) as unknown,
    js_errors: expect.arrayContaining([{ message: 'broken' }]) as unknown,
  });
  expect(await use('browser_console', { expression: '6 * 7', clear: true })).toMatchObject({ result: 42 });
  await use('browser_console', { clear: true });
  expect(await use('browser_console')).toMatchObject({ console_messages: [], js_errors: [] });
  await expect(use('browser_dialog', { action: 'accept' })).rejects.toThrow('no dialog is open');
  const ask = refOf('button "Ask"', asking['snapshot']);
  expect(await use('browser_click', { ref: ask })).toMatchObject({ dialog: { type: 'prompt', message: 'Your name?' } });
  await expect(use('browser_snapshot')).rejects.toThrow('stands still at a prompt: "Your name?"');
  expect(await use('browser_dialog', { action: 'accept', prompt_text: 'Ada' })).toMatchObject({ type: 'prompt' });
  expect((await use('browser_snapshot'))['snapshot']).toContain('Ada');
  expect(await use('browser_navigate', { url: `${home}/greets` })).toMatchObject({
    dialog: { type: 'alert', message: 'hello' },
  });
  expect(await use('browser_dialog', { action: 'dismiss' })).toMatchObject({ message: 'hello' });
  expect((await use('browser_snapshot'))['snapshot']).toContain('after it');

  expect(await use('browser_close')).toEqual({ success: true, was_open: true });
  await expect(use('browser_snapshot')).rejects.toThrow('no page is open');
  expect(seen).toContain('/second');
});
