import type { RegisteredModel, RunMetrics } from '@lachesis/protocol';
import type { Page } from 'playwright-core';

import { writeCount, writeMoney, writeNumber } from '../../../apps/dashboard/src/parts/format.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { findChromium } from '../../kit/find-chromium.ts';
import { makeDashboardHome, RUNS } from './make-home.ts';
import { launch } from './open-pages.ts';
import { openServer, type DashboardServer } from './open-server.ts';

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
  /** The same by the API, in the order of the page. */
  ask: (server: DashboardServer) => Promise<string[]>;
  /** An answer that faults change on its way to the page: the number of each of these fields is another one, or one of `rows` is missing. */
  fault: { path: RegExp; fields: readonly string[]; rows: string };
}

const CHARTS = ['reward/mean', 'train/loss', 'length/p50'];

const PAGES: readonly Figures[] = [
  {
    name: 'run',
    address: `/runs/${run}?charts=${CHARTS.join(',')}`,
    ready: 'figure figcaption b',
    read: `[...document.querySelectorAll('figure figcaption')].map((each) =>
      each.querySelector('span').textContent + ' ' + each.querySelector('b').textContent)`,
    async ask(server) {
      const { final_metrics: last } = await server.ask<RunMetrics>(`/runs/${run}/metrics`);
      return CHARTS.map((name) => `${name} ${writeNumber(last[name])}`);
    },
    fault: { path: /\/runs\/[^/]+\/metrics/, fields: ['reward/mean', 'train/loss'], rows: 'final_metrics' },
  },
  {
    name: 'models',
    address: '/models',
    ready: 'tbody tr',
    read: `[...document.querySelectorAll('tbody tr')].map((row) =>
      row.querySelector('a').textContent.trim() + ' ' + row.querySelector('td.number').textContent)`,
    async ask(server) {
      const { models } = await server.ask<{ models: RegisteredModel[] }>('/models');
      return models.map(({ name, version, step }) => `${name}@${version} ${step ?? '–'}`);
    },
    fault: { path: /\/models(?:\?|$)/, fields: ['step', 'version'], rows: 'models' },
  },
  {
    name: 'cost',
    address: '/cost',
    ready: 'tbody tr',
    read: `[...document.querySelectorAll('tbody tr')].map((row) =>
      [...row.cells].slice(1, 6).map(({ textContent }) => textContent.trim()).join(' | '))`,
    async ask(server) {
      const { rows } = await server.ask<{ rows: CostSums[] }>('/v1/costs?by=model&limit=1000');
      return rows.map(({ trajectories, turns, completion_tokens: written, without_cost: without, cost }) =>
        [...[trajectories, turns, written, without].map(writeCount), writeCost(cost, without)].join(' | '),
      );
    },
    fault: { path: /\/v1\/costs/, fields: ['turns', 'completion_tokens'], rows: 'rows' },
  },
];

/** `pnpm e2e dashboard/figures`: the page computes no metric; what stands there is what the API says. */
export const figures: Scenario = {
  name: 'figures',
  title:
    'figures of the run, the models and the costs are those of the API, row by row; a number that is changed on its way and a row that is missing are found',
  async run(context) {
    const program = findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'figures', why: 'there is no chromium here', bar: 'compared with the API' });
      return;
    }
    const server = await openServer(context, { home: await makeDashboardHome(await context.scratch()) });
    const browser = await launch(program);
    context.defer(() => browser.close());
    const read = async (figures: Figures, change?: Change): Promise<string[]> => {
      const { page } = await server.open(browser, { width: 1_440, height: 900, scheme: 'light' });
      if (change !== undefined) await changeAnswer(page, figures.fault.path, change);
      return await readPage(page, server.url, figures);
    };
    for (const figures of PAGES) {
      const said = await figures.ask(server);
      const { fields, rows } = figures.fault;
      const shown = await read(figures);
      const wrong = findDifference(said, shown);
      context.report({
        name: `figures of ${figures.name} that are not the API's, in its order`,
        figure: `${wrong === undefined ? 0 : wrong} of ${shown.length}`,
        bar: `0 of ${said.length}, at least one`,
        ok: wrong === undefined && shown.length > 0,
      });
      const mutants: readonly (readonly [name: string, change: Change])[] = [
        [`that changes ${fields.join(' and ')}`, changeNumbers(fields)],
        [`in which one of ${rows} is missing`, leaveOut(rows)],
      ];
      for (const [name, change] of mutants) {
        const isCaught = findDifference(said, await read(figures, change)) !== undefined;
        context.report({
          name: `mutant of ${figures.name} ${name}`,
          figure: isCaught ? 'caught' : 'missed',
          bar: 'caught',
          ok: isCaught,
        });
      }
    }
  },
};

/** The first place where two lists differ, one that ends early too; undefined when they are the same. */
function findDifference(said: readonly string[], shown: readonly string[]): string | undefined {
  const place = Array.from({ length: Math.max(said.length, shown.length) }, (_, index) => index).find(
    (index) => said[index] !== shown[index],
  );
  return place === undefined ? undefined : `"${shown[place]}" for "${said[place]}", row ${place + 1}`;
}

async function readPage(page: Page, origin: string, { address, ready, read }: Figures): Promise<string[]> {
  await page.goto(`${origin}${address}`);
  await page.locator(ready).first().waitFor({ timeout: SHOWN_MS });
  const texts = await page.evaluate<string[]>(read);
  await page.context().close();
  return texts;
}

/** As `JSON.parse` hands over each value. */
type Change = (name: string, value: unknown) => unknown;

/** Every number under one of these names is one more. */
const changeNumbers =
  (fields: readonly string[]): Change =>
  (name, value) =>
    fields.includes(name) && typeof value === 'number' ? value + 1 : value;

/** Of a list the last is gone; of values by name one that is shown. */
const leaveOut =
  (rows: string): Change =>
  (name, value) => {
    if (name === CHARTS[1]) return rows === 'final_metrics' ? undefined : value;
    return name === rows && Array.isArray(value) ? value.slice(0, -1) : value;
  };

async function changeAnswer(page: Page, path: RegExp, change: Change): Promise<void> {
  await page.route(path, async (route) => {
    if (route.request().resourceType() === 'document') return await route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, json: JSON.parse(await response.text(), change) as unknown });
  });
}

const writeCost = (cost: number | null, without: number): string =>
  cost === null ? 'unknown' : `${without > 0 ? 'at least ' : ''}${writeMoney(cost)}`;
