import { countTokens, findNewestIncarnation, listTrainingRuns, openHome, readMetricSeries } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { loadTokenizer } from '@lachesis/sdk/render';
import { planScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import { describeHome, seedHome } from './seed-home.ts';
import { createVocabulary } from './vocabulary.ts';

const root = await mkdtemp(join(tmpdir(), 'lachesis-seed-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const TENANT = 'local';
const SLOW_MS = 120_000;

async function seed(name: ScenarioName): Promise<string> {
  const home = join(root, name);
  await seedHome({ home, plan: planScenario(name, { isSmall: true }) });
  return home;
}

interface Expected {
  states: readonly string[];
  /** At least so many recorded chats. */
  has: string | undefined;
  tokens: number;
}

const EXPECTED: Record<ScenarioName, Expected> = {
  fresh: { states: [], has: 'trajectories', tokens: 0 },
  busy: { states: ['completed', 'running'], has: 'runs and trajectories', tokens: 0 },
  failing: { states: ['completed', 'failed', 'stopped'], has: 'runs and trajectories', tokens: 0 },
  'reward-hacking': { states: ['completed'], has: 'runs and trajectories', tokens: 0 },
  huge: { states: ['completed', 'failed'], has: 'runs and trajectories', tokens: 0 },
  team: { states: ['completed'], has: 'runs and trajectories', tokens: 8 },
};

test.each(SCENARIO_NAMES)(
  '%s: what it names is in the home',
  async (name) => {
    const folder = await seed(name);
    const { states, has, tokens } = EXPECTED[name];
    await using home = await openHome({ home: folder });
    const { store } = home;
    const runs = await listTrainingRuns({ store, tenantId: TENANT });
    expect([...new Set(runs.map(({ state }) => state))].toSorted()).toEqual(states);
    // Nobody takes up what the seed left: it has ended, or is held.
    expect(runs.every(({ endedAt, holder }) => endedAt !== null || holder !== null)).toBe(true);
    // Each began when its scenario says, and not when it was made.
    expect(runs.every(({ createdAt, endedAt }) => createdAt < Date.now() && (endedAt ?? createdAt) >= createdAt)).toBe(
      true,
    );
    expect(await describeHome(folder)).toBe(has);
    expect(await countTokens({ store })).toBe(tokens);
  },
  SLOW_MS,
);

test('the reward rises where the evaluations fall', { timeout: SLOW_MS }, async () => {
  await using home = await openHome({ home: join(root, 'reward-hacking') });
  const { store } = home;
  const loop = await findNewestIncarnation({ store, tenantId: TENANT, name: 'h4ckedup' });
  const read = async (series: string): Promise<number[]> =>
    (await readMetricSeries({ store, tenantId: TENANT, runId: loop?.runId ?? '', series })).map(
      ({ value }) => value ?? 0,
    );
  const reward = await read('reward/mean');
  const right = await read('train/percent_correct');
  expect(reward.at(-1)).toBeGreaterThan(reward[0] ?? 1);
  expect(right.at(-1)).toBeLessThan(right[0] ?? 0);
});

test('a home that has data is refused, and left as it is', { timeout: SLOW_MS }, async () => {
  const seeding = promisify(execFile)(process.execPath, [
    ...['--conditions=lachesis-source', join(import.meta.dirname, 'main.ts')],
    ...['fresh', '--small', '--home', join(root, 'fresh')],
  ]);
  await expect(seeding).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has trajectories, and nothing was written') as string,
  });
});

test('the words of a vocabulary come back as they were', async () => {
  const vocabulary = createVocabulary();
  const text = '<|im_start|>user\nHow many €-stamps are left in Gdańsk? 12 × 3 = 36<|im_end|>';
  const tokens = vocabulary.encode(text);
  const folder = join(root, 'words');
  await vocabulary.write(folder);
  const tokenizer = await loadTokenizer({ directory: folder });
  expect(await tokenizer.decode(tokens, { skipSpecialTokens: false })).toBe(text);
});
