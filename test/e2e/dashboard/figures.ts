import type { RegisteredModel, RunMetrics } from '@lachesis/protocol';
import type { Page } from 'playwright-core';

import { writeCount, writeMoney, writeNumber } from '../../../apps/dashboard/src/parts/format.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { findChromium } from '../thumbs/open-browser.ts';
import { buildPage } from './build-page.ts';
import { makeDashboardHome, RUNS } from './make-home.ts';
import { launch } from './open-pages.ts';

const [{ run }] = RUNS;
const SHOWN_MS = 30_000;

interface CostSums {
  group?: string | null;
  trajectories: number;
  turns: number;
  completion_tokens: number;
  cost: number | null;
  without_cost: number;
}

interface Figures {
  name: string;
  address: string;
  /** What stands on the page when its numbers are there. */
  ready: string;
  /** Texts of the page, found by a script of the browser. */
  read: string;
  /** The same by the API. */
  ask: (origin: string) => Promise<string[]>;
  /** An answer that a fault changes on its way to the page: the number of each of these fields is another one. */
  fault: { path: RegExp; fields: readonly string[] };
}

const readJson = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

const PAGES: readonly Figures[] = [
  {
    name: 'run',
    address: `/runs/${run}`,
    ready: 'figure figcaption b',
    read: `[...document.querySelectorAll('figure figcaption')].map((each) =>
      each.querySelector('span').textContent + ' ' + each.querySelector('b').textContent)`,
    async ask(origin) {
      const { final_metrics: last, series } = await readJson<RunMetrics>(`${origin}/runs/${run}/metrics`);
      return series.map((name) => `${name} ${writeNumber(last[name])}`);
    },
    fault: { path: /\/runs\/[^/]+\/metrics/, fields: ['reward/mean', 'train/loss'] },
  },
  {
    name: 'models',
    address: '/models',
    ready: 'tbody tr',
    read: `[...document.querySelectorAll('tbody tr')].map((row) =>
      row.querySelector('a').textContent.trim() + ' ' + row.querySelector('td.number').textContent)`,
    async ask(origin) {
      const { models } = await readJson<{ models: RegisteredModel[] }>(`${origin}/models`);
      return models.map(({ name, version, step }) => `${name}@${version} ${step ?? '–'}`);
    },
    fault: { path: /\/models(?:\?|$)/, fields: ['step', 'version'] },
  },
  {
    name: 'cost',
    address: '/cost',
    ready: 'tbody tr',
    read: `[...document.querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].slice(1, 6).map(({ textContent }) => textContent.trim()).join(' | '))`,
    async ask(origin) {
      const { rows } = await readJson<{ rows: CostSums[] }>(`${origin}/v1/costs?by=model&limit=1000`);
      return rows.map(({ trajectories, turns, completion_tokens: written, without_cost: without, cost }) =>
        [...[trajectories, turns, written, without].map(writeCount), writeCost(cost, without)].join(' | '),
      );
    },
    fault: { path: /\/v1\/costs/, fields: ['turns', 'completion_tokens'] },
  },
];

/** `pnpm e2e dashboard/figures`: the page computes no metric; what stands there is what the API says. */
export const figures: Scenario = {
  name: 'figures',
  title:
    'figures of the run, the models and the costs are those of the API; a number that is changed on its way is found',
  async run(context) {
    const program = await findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'figures', why: 'there is no chromium here', bar: 'compared with the API' });
      return;
    }
    await buildPage();
    const server = await startControlServer({ home: await makeDashboardHome(await context.scratch()) });
    context.defer(async () => void (await server.process.stop()));
    const browser = await launch(program);
    context.defer(() => browser.close());
    for (const figures of PAGES) {
      const said = new Set(await figures.ask(server.url));
      const shown = await readPage(await browser.newPage(), server.url, figures);
      const wrong = shown.filter((text) => !said.has(text));
      context.report({
        name: `figures of ${figures.name} that the API does not say`,
        figure: wrong.length === 0 ? `0 of ${shown.length}` : `${wrong.length} of ${shown.length}: ${wrong[0]}`,
        bar: '0, of at least one',
        ok: wrong.length === 0 && shown.length > 0,
      });
      const page = await browser.newPage();
      await changeAnswer(page, figures.fault);
      const isCaught = (await readPage(page, server.url, figures)).some((text) => !said.has(text));
      context.report({
        name: `mutant that changes ${figures.fault.fields.join(' and ')} of ${figures.name}`,
        figure: isCaught ? 'caught' : 'missed',
        bar: 'caught',
        ok: isCaught,
      });
    }
  },
};

async function readPage(page: Page, origin: string, { address, ready, read }: Figures): Promise<string[]> {
  await page.goto(`${origin}${address}`);
  await page.locator(ready).first().waitFor({ timeout: SHOWN_MS });
  const texts = await page.evaluate<string[]>(read);
  await page.close();
  return texts;
}

/** Every number under one of these names is one more when it comes to the page. */
async function changeAnswer(page: Page, { path, fields }: Figures['fault']): Promise<void> {
  await page.route(path, async (route) => {
    if (route.request().resourceType() === 'document') return await route.continue();
    const response = await route.fetch();
    const changed = JSON.parse(await response.text(), (name, value: unknown) =>
      fields.includes(name) && typeof value === 'number' ? value + 1 : value,
    ) as unknown;
    await route.fulfill({ response, json: changed });
  });
}

const writeCost = (cost: number | null, without: number): string =>
  cost === null ? 'unknown' : `${without > 0 ? 'at least ' : ''}${writeMoney(cost)}`;
