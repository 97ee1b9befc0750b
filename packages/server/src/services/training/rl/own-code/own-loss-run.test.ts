import { MASKED } from '@lachesis/protocol';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeTrainedRun } from '../../../runs/rollouts/trained-run.fixture.ts';
import type { MetricRow } from '../../sinks/metric-sink.ts';

const own = join(import.meta.dirname, '../../../../../../../test/conformance/algorithms/own');
const tinker = pathToFileURL(join(own, '../../../../packages/tinker/src/losses/own/define-loss.ts')).href;
const STEPS = 3;

const groupOf = (step: number) => ({
  header: {},
  tokens: { values: Int32Array.of(7, 100 + step, 8, 7, 100 + step, 9), rowLengths: Uint32Array.of(3, 3) },
  masks: { values: Int32Array.of(MASKED, 100 + step, 8, MASKED, 100 + step, 9), rowLengths: Uint32Array.of(3, 3) },
  scores: Float64Array.of(0, step),
  inferenceLogprobs: {
    values: Float32Array.of(1, -1.1, -0.5, 1, -0.9, -1.3),
    rowLengths: Uint32Array.of(3, 3),
  },
});

async function train(home: string, run: string, tinker: object): Promise<Record<string, number>[]> {
  const rows: MetricRow[] = [];
  await makeTrainedRun({
    ...{ home, run, steps: STEPS, tinker, groupsOf: (step) => [groupOf(step)] },
    openSink: async () => ({ name: 'rows', write: async (row) => void rows.push(row), close: async () => undefined }),
  });
  return rows.map(({ values }) => values as Record<string, number>);
}

test('a run by files makes the steps of the preset that says the same, and tells its own metric', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-own-loss-'));
  try {
    const files = { loss: join(own, 'clipped-loss.ts'), advantage: join(own, 'group-advantage.ts') };
    // A coefficient of next to nothing makes the trainer compute the loss by name itself.
    const named = { algorithm: 'grpo', kl_coefficient: 0, entropy_coefficient: 1e-12 };
    const [byFile, byName] = [await train(home, 'by-file', files), await train(home, 'by-name', named)];
    const losses = byFile.map((values) => values['train/loss']);
    expect(losses).toHaveLength(STEPS);
    for (const [step, loss] of losses.entries()) expect(loss).toBeCloseTo(byName[step]!['train/loss']!, 6);
    expect(byFile.every((values) => values['policy/ratio']! > 0)).toBe(true);
  } finally {
    await rm(home, { recursive: true });
  }
});

test('a file that fails on a batch ends the run with its name, and no step is made of it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-own-loss-'));
  try {
    const file = join(home, 'picky.ts');
    const text = `import { defineLoss } from '${tinker}';
export default defineLoss({ name: 'picky', loss: ({ learner, sequences }) => {
  if (sequences.length === 2) throw new Error('two are too few');
  return learner.sum();
} });`;
    await writeFile(file, text);
    await expect(train(home, 'picky', { loss: file })).rejects.toThrow(
      /picky\.ts, line 3, failed on a batch of the run/,
    );
  } finally {
    await rm(home, { recursive: true });
  }
});
