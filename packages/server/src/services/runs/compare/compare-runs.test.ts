import { runComparisonSchema } from '@lachesis/protocol';
import { findOrCreateRun, openStore, recordMetricPoints, type TrainingRun } from '@lachesis/store';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareRuns } from './compare-runs.ts';
import { compareSettings } from './compare-settings.ts';

const toRun = (shortId: string, env: object, tinker: object = {}): TrainingRun =>
  ({
    ...{ tenantId: 'local', shortId, environment: 'digits', state: 'completed', createdAt: 1 },
    config: {
      recipe: { env: { wandb_name: shortId, ...env }, openai: [{ base_url: shortId }], tinker },
      environmentFile: { digit: '7' },
    },
  }) as unknown as TrainingRun;

async function openHome() {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-compare-'));
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  onTestFinished(async () => {
    await store.close();
    await rm(home, { recursive: true });
  });
  const record = async (name: string, series: string, values: readonly number[]): Promise<void> => {
    const { runId } = await findOrCreateRun({ store, tenantId: 'local', name });
    const points = values.map((value, index) => ({ series, step: index + 1, at: index + 1, value }));
    await recordMetricPoints({ store, tenantId: 'local', runId, points });
  };
  const evaluate = async (name: string, step: number, scores: Record<string, number | null>): Promise<void> => {
    const folder = join(home, 'runs', name, 'environments', 'digits', 'evals', `step-${step}`);
    await mkdir(folder, { recursive: true });
    const rows = Object.entries(scores).map(([key, score]) => `${JSON.stringify({ key, score })}\n`);
    await writeFile(join(folder, 'samples.jsonl'), rows.join(''));
  };
  return { home, store, record, evaluate };
}

test('settings that differ are named; what every run has of its own and secrets are not shown', () => {
  const { differences, groups } = compareSettings([
    toRun('a', { seed: 1, group_size: 4, api_key: 'x' }, { learning_rate: 1e-3, warm_up: { steps: 3 } }),
    toRun('b', { seed: 2, group_size: 4, api_key: 'y' }, { learning_rate: 1e-3, warm_up: { steps: 5 } }),
    toRun('c', { group_size: 4, api_key: 'y' }, { learning_rate: 1e-3, warm_up: { steps: 5 } }),
  ]);
  expect(differences).toEqual([
    { name: 'env.api_key', values: ['(hidden)', '(hidden)', '(hidden)'] },
    { name: 'env.seed', values: [1, 2, null] },
    { name: 'tinker.warm_up.steps', values: [3, 5, 5] },
  ]);
  expect(groups).toEqual([0, 1, 1]);
});

test('curves are side by side, and runs that differ by their seed alone are a band', async () => {
  const { home, store, record } = await openHome();
  await record('a', 'reward/mean', [0, 0.2, 0.4]);
  await record('b', 'reward/mean', [0.2, 0.4]);
  await record('c', 'reward/mean', [1, 1, 1]);
  const runs = [toRun('a', { seed: 1 }), toRun('b', { seed: 2 }), toRun('c', { seed: 1, group_size: 8 })];
  const made = runComparisonSchema.parse(await compareRuns({ store, home, runs }));
  expect(made.runs.map(({ group }) => group)).toEqual([0, 0, 1]);
  expect(made.known_series).toEqual(['reward/mean']);
  expect(made.series[0]?.runs['b']).toEqual([
    { step: 1, value: 0.2 },
    { step: 2, value: 0.4 },
  ]);
  expect(made.series[0]?.bands).toEqual([
    {
      group: 0,
      points: [
        { step: 1, mean: 0.1, low: 0, high: 0.2, runs: 2 },
        { step: 2, mean: expect.closeTo(0.3), low: 0.2, high: 0.4, runs: 2 },
      ],
    },
  ]);
  const none = await compareRuns({ store, home, runs, series: ['train/loss'] });
  expect(none.series).toMatchObject([{ name: 'train/loss', runs: { a: [], b: [], c: [] } }]);
});

test('evaluations are paired by item where both runs left samples, else by step, and it says which', async () => {
  const { home, store, record, evaluate } = await openHome();
  for (const run of ['a', 'b', 'c']) await record(run, 'eval/mean_reward', run === 'c' ? [0.5, 0.7] : [0.1, 0.2]);
  await evaluate('a', 5, { x: 1, y: 1, z: 1 });
  await evaluate('a', 10, { x: 0, y: 0, z: 1, v: 0 });
  await evaluate('b', 10, { x: 1, y: 1, z: 1, w: 1, v: null });
  const runs = ['a', 'b', 'c'].map((id) => toRun(id, {}));
  const { evaluations } = await compareRuns({ store, home, runs });
  expect(evaluations).toMatchObject([
    { left: 'a', right: 'b', paired_by: 'item', items: 3, left_step: 10, right_step: 10, better: 2, worse: 0 },
    { left: 'a', right: 'c', paired_by: 'step', series: 'eval/mean_reward', items: 2, left_step: null },
  ]);
  expect(evaluations[0]?.difference).toBeCloseTo(2 / 3);
  // Two degrees of freedom: 4.303 standard errors of a third.
  expect(evaluations[0]?.interval?.[0]).toBeCloseTo(2 / 3 - 4.3027 / 3, 3);
});
