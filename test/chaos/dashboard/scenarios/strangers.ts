import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { buildPage } from '../../../e2e/dashboard/build-page.ts';
import { startForgivingProxy } from '../start-forgiving-proxy.ts';
import { launch } from '../../../e2e/dashboard/open-pages.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';

/** Pages of others, names that point here, and codes that were good once. */
export const strangersScenario: Scenario = {
  name: 'strangers',
  title:
    'a page of another origin, a rebinding Host, a code that was used and a session whose maker is gone are refused',
  async run(context) {
    await buildPage();
    const home = await context.scratch();
    const { url, process: serving } = await startControlServer({ home, wantsTokens: true });
    context.defer(async () => void (await serving.stop()));
    const token = (await readFile(join(home, 'token'), 'utf8')).trim();
    const found = await judge(url, token);
    for (const { name, heard, wanted } of found.lines) report(context, name, heard, wanted);
    await askFromAnotherPage(context, url, found.session);

    // In place of the server one that takes whatever is asked of it for a call of its own page, and a code for good.
    const forgiving = await startForgivingProxy(url);
    context.defer(() => forgiving.close());
    const { lines } = await judge(forgiving.url, token);
    const caught = lines.filter(({ heard, wanted }) => heard.join() !== wanted.join());
    context.report({
      name: 'seeded fault: a server that asks nobody where they come from, and takes a code twice',
      figure: `caught by ${caught.length} of 2 lines`,
      bar: '2 of 2',
      ok: caught.map(({ isFaulted }) => isFaulted).join() === 'true,true',
    });
  },
};

interface Judged {
  readonly name: string;
  readonly heard: readonly number[];
  readonly wanted: readonly number[];
  /** The seeded fault is one of what this line is about. */
  readonly isFaulted: boolean;
}

/** Codes and headers, asked for one after the other. */
async function judge(url: string, token: string): Promise<{ session: string; lines: Judged[] }> {
  const ask = async (path: string, bearer: string, method = 'GET'): Promise<Response> =>
    await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${bearer}` } });
  const { code } = (await (await ask('/v1/session/code', token, 'POST')).json()) as { code: string };
  const opened = await ask('/v1/session', code, 'POST');
  const session = ((await opened.json()) as { token: string }).token;
  const again = await ask('/v1/session', code, 'POST');
  const own = await ask('/runs', session);
  const asCode = await ask('/runs', code);
  const guessed = await ask('/v1/session', 'A'.repeat(22), 'POST');
  const rebound = await askAs(url, { host: 'evil.test', origin: 'http://evil.test', bearer: session });
  const elsewhere = await askAs(url, { origin: 'http://evil.test', bearer: session });
  const nearly = await askAs(url, { origin: url, bearer: session, site: 'cross-site' });
  const ours = await askAs(url, { origin: url, bearer: session, site: 'same-origin' });
  return {
    session,
    lines: [
      {
        name: 'a code opens one session',
        heard: [opened.status, own.status, again.status],
        wanted: [200, 200, 401],
        isFaulted: true,
      },
      {
        name: 'a code by itself, and one that nobody made',
        heard: [asCode.status, guessed.status],
        wanted: [401, 401],
        isFaulted: false,
      },
      {
        name: 'rebinding Host, another origin, ours from another site, ours',
        heard: [rebound, elsewhere, nearly, ours],
        wanted: [403, 403, 403, 200],
        isFaulted: true,
      },
    ],
  };
}

/** A call with headers that `fetch` does not let anybody write. */
async function askAs(
  url: string,
  { host, origin, bearer, site }: { host?: string; origin: string; bearer: string; site?: string },
): Promise<number> {
  const headers = {
    ...(host === undefined ? {} : { host }),
    ...(site === undefined ? {} : { 'sec-fetch-site': site }),
    ...{ origin, authorization: `Bearer ${bearer}` },
  };
  return await new Promise((resolve, reject) => {
    request(`${url}/runs`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

/** A real page of another origin in a real browser, with a token that is good. */
async function askFromAnotherPage(context: ScenarioContext, url: string, session: string): Promise<void> {
  const name = 'a page of another origin in a browser';
  const program = findChromium();
  if (program === undefined)
    return context.reportNotRun({ name, why: 'there is no chromium here', bar: 'reads nothing' });
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const browser = await launch(program);
  context.defer(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const call = `fetch(${JSON.stringify(`${url}/runs`)}, { headers: { authorization: ${JSON.stringify(`Bearer ${session}`)} } })
    .then((reply) => reply.text(), () => 'refused')`;
  const plain = `fetch(${JSON.stringify(`${url}/runs`)}).then((reply) => reply.text(), () => 'refused')`;
  const framed = `new Promise((done) => { const frame = document.createElement('iframe'); frame.src = ${JSON.stringify(url)};
    frame.onload = () => { try { done(frame.contentDocument === null ? 'refused' : frame.contentDocument.title) } catch { done('refused') } };
    document.body.append(frame) })`;
  const heard = [await page.evaluate(call), await page.evaluate(plain), await page.evaluate(framed)];
  report(context, name, heard, ['refused', 'refused', 'refused']);
}

function report(context: ScenarioContext, name: string, found: readonly unknown[], wanted: readonly unknown[]): void {
  const bar = wanted.join(', ');
  const figure = found.join(', ');
  context.report({ name, figure, bar, ok: figure === bar });
}
