import { createControlClient, createLibraryClient, type ControlClient, type LibraryClient } from '@lachesis/sdk';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { promisify } from 'node:util';

import { installPackages } from '../../kit/install-packages.ts';
import type { LachesisCommand } from '../../kit/lachesis-command.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { buildPage } from './build-page.ts';
import { openWatchedPage, showPage, type View, type WatchedPage } from './open-pages.ts';

const run = promisify(execFile);

/** A control server of the packed packages with tokens on, and a person who may do everything on it. */
export interface DashboardServer {
  readonly url: string;
  readonly api: ControlClient;
  readonly library: LibraryClient;
  /** What `lachesis ui` prints: the page with a code that is good once. */
  makeAddress(): Promise<string>;
  /** A page of its own that was let in by a code of its own. */
  open(browser: Browser, view: View): Promise<WatchedPage>;
  ask<T>(path: string, body?: object): Promise<T>;
  /** The same as text: an answer may have one JSON value a line. */
  askText(path: string, body?: object): Promise<string>;
  /** What a person types in a terminal, with `--json`. */
  type(...words: string[]): Promise<unknown>;
}

let installed: Promise<LachesisCommand> | undefined;

/** Built, packed and installed once for all scenarios of this process. */
export const installDashboard = (): Promise<LachesisCommand> => (installed ??= install());

async function install(): Promise<LachesisCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-dashboard-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await buildPage();
  return await installPackages(folder);
}

export interface OpenServerOptions {
  /** A folder that is there, empty or seeded; no token was made in it. */
  readonly home: string;
  readonly flags?: readonly string[];
  /** Added to the environment of the server and of what is typed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How long it has to stop. */
  readonly graceMs?: number;
}

export async function openServer(context: ScenarioContext, options: OpenServerOptions): Promise<DashboardServer> {
  const { home, flags = [], env = {}, graceMs } = options;
  const lachesis = await installDashboard();
  const { url: address, process: serving } = await startControlServer({
    ...{ home, lachesis, flags, wantsTokens: true },
    env: { LACHESIS_HOME: undefined, ...env },
  });
  context.defer(async () => void (await serving.stop(graceMs === undefined ? {} : { graceMs })));
  // As `lachesis ui` names it: what a page is let in with is of one origin.
  const url = address.replace('//127.0.0.1:', '//localhost:');
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  const askText = async (path: string, body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${url}${path}`, { ...given, headers });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return await reply.text();
  };
  const [program, ...words] = lachesis;
  const type = async (...args: string[]): Promise<unknown> => {
    const own = { ...env, LACHESIS_HOME: home, LACHESIS_TOKEN: token, DATABASE_URL: '' };
    const { stdout } = await run(program, [...words, ...args, '--json'], { env: { ...process.env, ...own } });
    return JSON.parse(stdout);
  };
  const makeAddress = async (): Promise<string> =>
    ((await type('ui', '--no-open', '--server', url)) as { url: string }).url;
  return {
    ...{ url, askText, type, makeAddress },
    api: createControlClient({ url, token }),
    library: createLibraryClient({ url, token }),
    async open(browser, view) {
      const watched = await openWatchedPage(browser, { origin: url, ...view });
      const { code } = JSON.parse(await askText('/v1/session/code', {})) as { code: string };
      await showPage(watched.page, `${url}/#${code}`);
      return watched;
    },
    ask: async <T>(path: string, body?: object) => JSON.parse(await askText(path, body)) as T,
  };
}
