import type { CaptureRecord, Feedback, TrajectoryDetail } from '@lachesis/protocol';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

import { writeByteModel } from '../../../packages/server/src/services/models/byte-model.fixture.ts';
import { makeCall } from '../../../packages/server/src/control/bench.fixture.ts';
import { FakeServer } from '../../../packages/tinker/src/testing/fake-server.fixture.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { findChromium } from '../../kit/find-chromium.ts';
import { launch, type WatchedPage } from './open-pages.ts';
import { openServer, type DashboardServer } from './open-server.ts';

const SHOWN_MS = 60_000;
const SHOTS = path.resolve(import.meta.dirname, '../../../.ci/logs/dashboard');
/** Letters are their own tokens, and 257 ends a turn. */
const END = 257;
const PREFIX = [...Buffer.from('What do two and two make?'), END, 256, 10];
const ANSWER = [...Buffer.from('Two and two make four.'), END];

type Place = readonly [name: string, address: string];

/** Talks of one person: with tokens of the model that serves, of another model, and without any. */
function makeTalks(model: string): CaptureRecord[] {
  const tokens = { prompt_token_ids: PREFIX, token_ids: [70, END], logprobs: [-0.1, -0.1], policy_version: null };
  const message = { role: 'assistant' as const, content: 'Some number, as numbers go.' };
  const messages = [{ role: 'user' as const, content: 'What do two and two make?' }];
  const replies = [{ message, finish_reason: 'stop', tokens, tokens_missing: null }];
  const shared = { user: 'ada', source: 'shop', messages, replies };
  return [
    makeCall({ ...shared, trajectory: 'told', model }),
    makeCall({ ...shared, trajectory: 'elsewhere', model: 'other/model' }),
    makeCall({ trajectory: 'bare', model, source: 'shop' }),
  ];
}

/** `pnpm e2e dashboard/reroll`: another reply to a turn in the browser, chosen by one key, and every way in which there is none. */
export const reroll: Scenario = {
  name: 'reroll',
  title:
    'a turn is sampled again from its tokens in the browser, chosen by a key, and taken back; where it cannot be, the page says why',
  async run(context) {
    const program = findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 're-roll', why: 'there is no chromium here', bar: 'a pair' });
      return;
    }
    await mkdir(SHOTS, { recursive: true });
    const { server, stopEngine } = await serve(context);
    const origin = server.url;
    const browser = await launch(program);
    context.defer(() => browser.close());
    const watched = await server.open(browser, { width: 1_440, height: 900, scheme: 'light' });
    const { page } = watched;
    await chooseByKeys(context, server, page);

    const at = new URL(page.url());
    const places: Place[] = [
      ['reroll', `${at.pathname}${at.search}`],
      ['reroll-none', '/trajectories/bare?view=re-roll'],
    ];
    const pages = [watched, await server.open(browser, { width: 390, height: 844, scheme: 'dark' })];
    const found: string[] = [];
    for (const [index, each] of pages.entries()) found.push(...(await look(each, origin, places, index === 0)));
    for (const fault of found) context.log(fault);
    context.report({
      name: 'barriers, overflow, errors and refusals of two pages in both forms',
      ...{ figure: String(found.length), bar: '0', ok: found.length === 0 },
    });
    await refuse(context, page, origin, stopEngine);
  },
};

async function serve(context: ScenarioContext): Promise<{ server: DashboardServer; stopEngine(): Promise<void> }> {
  const model = await writeByteModel();
  context.defer(() => model.remove());
  const engine = await FakeServer.start({ models: [{ model_name: model.directory }], answer: () => ANSWER });
  context.defer(() => engine.close());
  const home = path.join(await context.scratch(), 'home');
  await mkdir(home);
  const server = await openServer(context, { home, env: { TINKER_BASE_URL: engine.url } });
  await server.ask('/v1/records', { records: makeTalks(model.directory) });
  return { server, stopEngine: () => engine.close() };
}

async function chooseByKeys(context: ScenarioContext, server: DashboardServer, page: Page): Promise<void> {
  const { url: origin, ask } = server;
  const told = await ask<TrajectoryDetail>('/v1/trajectories/told');
  const listChoices = async (): Promise<Feedback[]> =>
    (await ask<{ feedback: Feedback[] }>('/v1/feedback')).feedback.filter(({ feedback }) => feedback.kind === 'choice');
  await page.goto(`${origin}/trajectories/told`);
  await page.locator('.virtual').first().waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('r');
  await page.getByText('Nothing was sampled yet.').waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('r');
  const right = page.getByRole('region', { name: 'Re-rolled' });
  await right.locator('.virtual').waitFor({ timeout: SHOWN_MS });
  const [id, turn] = (new URL(page.url()).searchParams.get('against') ?? '').split('.');
  const again = await ask<TrajectoryDetail>(`/v1/trajectories/${id}`);
  const own = told.turns[0]?.replies[0]?.tokens?.prompt_token_ids;
  const isSame =
    JSON.stringify(again.turns[Number(turn)]?.replies[0]?.tokens?.prompt_token_ids) === JSON.stringify(own);
  context.report({
    name: 'tokens that the new reply was sampled from',
    ...{ figure: isSame ? `the same ${own?.length}` : 'others', bar: `the same ${PREFIX.length}`, ok: isSame },
  });
  await page.keyboard.press('ArrowRight');
  await page.getByText('the new reply is better. The two are a pair').waitFor({ timeout: SHOWN_MS });
  const made = await listChoices();
  await page.keyboard.press('z');
  await page.getByText('The two are a pair').waitFor({ state: 'detached', timeout: SHOWN_MS });
  const left = (await listChoices()).length;
  await page.keyboard.press('ArrowLeft');
  await page.getByText('what it said is better. The two are a pair').waitFor({ timeout: SHOWN_MS });
  const last = await listChoices();
  const names = [...made, ...last].map(({ feedback }) => (feedback.trajectory_id === id ? 'new' : 'first'));
  context.report({
    name: 'chosen by a key, taken back, chosen again',
    figure: `${names[0]}, ${left}, ${names.slice(1).join(' ')}`,
    ...{ bar: 'new, 0, first', ok: `${names[0]}, ${left}, ${names.slice(1).join(' ')}` === 'new, 0, first' },
  });
}

/** What a reader would stumble over on these pages. */
async function look(
  watched: WatchedPage,
  origin: string,
  places: readonly Place[],
  isWide: boolean,
): Promise<string[]> {
  const { page, faults, findBarriers } = watched;
  const found: string[] = [];
  for (const [name, address] of places) {
    await page.goto(`${origin}${address}`);
    await page.getByRole('region', { name: 'Re-rolled' }).waitFor({ timeout: SHOWN_MS });
    await page.locator('main .loading').first().waitFor({ state: 'detached', timeout: SHOWN_MS });
    await page.screenshot({ path: path.join(SHOTS, `${name}-${isWide ? '1440-light' : '390-dark'}.png`) });
    found.push(...(await findBarriers()).map((barrier) => `${name}: ${barrier}`));
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) found.push(`${name} is wider than its window by ${over}`);
  }
  return [...found, ...faults.console, ...faults.policy, ...faults.elsewhere];
}

/** Without tokens, of another model, without an engine: three sentences, and no pair. */
async function refuse(
  context: ScenarioContext,
  page: Page,
  origin: string,
  stopEngine: () => Promise<void>,
): Promise<void> {
  const said: string[] = [];
  const read = async (trajectory: string, text: RegExp): Promise<void> => {
    await page.goto(`${origin}/trajectories/${trajectory}?view=re-roll`);
    await page.getByRole('region', { name: 'Re-rolled' }).waitFor({ timeout: SHOWN_MS });
    await page.keyboard.press('r');
    await page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
    said.push(trajectory);
  };
  await read('bare', /Nothing can go on from tokens that are not there/);
  await read('elsewhere', /the tokens are of other\/model, and the engine of this server has/);
  await stopEngine();
  await read('told', /the engine at .* does not answer/);
  context.report({
    name: 'ways in which there is no new reply, each with its reason',
    ...{ figure: `${said.length} of 3`, bar: 'all', ok: said.length === 3 },
  });
}
