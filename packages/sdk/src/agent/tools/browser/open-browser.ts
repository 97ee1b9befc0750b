import { PassThrough } from 'node:stream';
import type { Browser, BrowserType, Page } from 'playwright-core';
import type { EgressRule } from '../../../egress/create-egress-rule.ts';
import { createNamespaceProvider } from '../../../sandbox/namespace/create-namespace-provider.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { ToolError } from '../../tool-error.ts';
import type { FoundChromium } from './find-chromium.ts';
import { serveDevtools } from './serve-devtools.ts';
import { watchPages, type WatchedPages } from './watch-pages.ts';

const MEGABYTE = 1024 * 1024;
const START_MS = 60_000;
/** Threads count as processes, and a page has many. What the browser tells its driver is kept while it runs. */
const LIMITS = {
  memoryBytes: 2048 * MEGABYTE,
  processes: 1_024,
  diskBytes: 512 * MEGABYTE,
  outputBytes: 512 * MEGABYTE,
  cpuSeconds: 3_600,
  wallMs: 3_600_000,
};

/** Everything through the proxy: names, loopback, media. What would go another way has no network to go over. */
const SWITCHES: readonly string[] = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--mute-audio'],
  ...['--remote-debugging-pipe', '--user-data-dir=/tmp/chromium', '--window-size=1280,800', '--hide-scrollbars'],
  ...['--proxy-server=http://127.0.0.1:3128', '--proxy-bypass-list=<-loopback>', '--disable-quic'],
  ...['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1', '--dns-prefetch-disable'],
  ...['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-extensions', '--disable-default-apps'],
  ...[
    '--no-default-browser-check',
    '--disable-back-forward-cache',
    '--metrics-recording-only',
    '--disable-breakpad',
    '--password-store=basic',
  ],
  ...[
    '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication',
    'about:blank',
  ],
];

export interface OpenBrowserOptions {
  readonly chromium: FoundChromium;
  readonly allow: readonly string[];
  readonly rule?: EgressRule | undefined;
}

/** A browser of one run: in a sandbox of its own, whose only way out is our proxy. */
export interface OpenedBrowser {
  /** The page that was opened last. */
  page(): Page;
  readonly network: NonNullable<Sandbox['network']>;
  readonly watched: WatchedPages;
  close(): Promise<void>;
}

export async function openBrowser({ chromium, allow, rule }: OpenBrowserOptions): Promise<OpenedBrowser> {
  const driver = await loadDriver();
  const { folder } = chromium;
  const provider = createNamespaceProvider(folder === undefined ? {} : { readOnlyFolders: [folder] });
  const sandbox = await provider.create({ owner: 'browser', limits: LIMITS, network: { allow, rule } });
  const { network } = sandbox;
  if (network === undefined) throw new Error('a sandbox was asked for its network and has none');
  const input = new PassThrough();
  const devtools = await serveDevtools({
    onMessage: (message) => void input.write(Buffer.concat([message, Buffer.of(0)])),
  });
  let said = '';
  // The two pipes of the driver are the command's input and output.
  const script = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null';
  const running = sandbox.exec(['/bin/sh', '-c', script, 'sh', chromium.executable, ...SWITCHES], {
    input,
    env: { HOME: '/tmp' },
    onOutput: ({ stream, text, bytes }) => {
      if (stream === 'stdout') devtools.push(bytes ?? Buffer.from(text));
      else said = (said + text).slice(-500);
    },
  });
  // Its end closes the line, which is what the driver hears.
  void running.then(
    () => devtools.close(),
    () => devtools.close(),
  );
  const end = async (): Promise<void> => {
    await sandbox.destroy();
    await devtools.close();
  };
  let browser: Browser;
  try {
    browser = await driver.connectOverCDP(devtools.url, { timeout: START_MS });
  } catch (error) {
    await end();
    throw new ToolError({
      what: 'The browser did not start',
      reason: said.trim() === '' ? (error as Error).message.split('\n')[0] : said.trim(),
      hint: 'Whoever runs this agent looks at LACHESIS_CHROMIUM; go on without the browser',
      cause: error,
    });
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: false });
  const watched = watchPages(context);
  let current = await context.newPage();
  // A link that opens a window of its own goes on there.
  context.on('page', (page) => (current = page));
  return {
    page: () => current,
    ...{ network, watched },
    close: async () => {
      await browser.close().catch(() => undefined);
      await end();
    },
  };
}

async function loadDriver(): Promise<BrowserType> {
  try {
    const { chromium } = await import('playwright-core');
    return chromium;
  } catch (cause) {
    throw new ToolError({
      what: 'The browser was not started',
      reason: 'playwright-core is not installed',
      hint: 'Whoever runs this agent installs it: npm install playwright-core',
      cause,
    });
  }
}
