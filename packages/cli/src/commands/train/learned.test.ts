import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeLearning } from './learned.ts';

const known = {
  ...{ run: 'r', environment: 'digits', configPath: '/runs/r/recipe.yaml', templateProblem: null },
  ...{ env: { group_size: 16 }, tinker: { learning_rate: 2e-3 } },
};

async function describe(rewards: readonly number[], deadGroups: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-learned-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'metrics.jsonl');
  const lines = rewards.map((reward, index) =>
    JSON.stringify({ step: index + 1, 'reward/mean': reward, 'train/groups': 4, 'train/dead_groups': deadGroups }),
  );
  await writeFile(file, [...lines, '{"step":99,"rew'].join('\n'));
  return await describeLearning(file, known);
}

test('a run in which nothing was ever earned says so, and what to do', async () => {
  const said = await describe([0, 0, 0, 0, 0, 0], 4);
  expect(said).toContain('it did not learn: no reply has earned anything in 6 steps');
  expect(said).toContain('lachesis train warm-up --config /runs/r/recipe.yaml --environment digits');
});

test('a run that learned, and one without metrics, say nothing', async () => {
  expect(await describe([0, 0.1, 0.2, 0.3, 0.4, 0.5], 1)).toBe('');
  expect(await describeLearning('/nowhere/metrics.jsonl', known)).toBe('');
});
