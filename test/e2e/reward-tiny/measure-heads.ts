import type { PreferenceRecord } from '@lachesis/protocol';
import { loadTokenizer } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';
import type { Datum, TrainingClient } from '@lachesis/tinker';

import type { RecordExample } from '../../../packages/server/src/services/training/records/method.ts';
import { measureMargins } from '../../../packages/server/src/services/training/reward/measure-margins.ts';
import type { PairQuality } from '../../../packages/server/src/services/training/reward/measure-margins.ts';
import { readScores } from '../../../packages/server/src/services/training/reward/odds-loss.ts';
import { createRewardMethod } from '../../../packages/server/src/services/training/reward/method.ts';
import { listPairs } from './list-pairs.ts';
import { renderComparison } from './render-comparison.ts';
import { PAIRS_PER_STEP } from './train-taste.ts';

/** How well a way of modelling preferences does after some steps on the same pairs. */
export interface HeadQuality extends PairQuality {
  readonly head: string;
  readonly steps: number;
  readonly learningRate: number;
  readonly seconds: number;
}

interface Head {
  readonly name: string;
  readonly learningRate: number;
  /** One step on pairs by their places; the optimiser follows. */
  pass(model: TrainingClient, pairs: readonly number[]): Promise<unknown>;
  /** Of each held-out pair four sequences: both verdicts on the one side, both on the other. */
  readonly heldOut: readonly (readonly Datum[])[];
  /** Who reads a pair both ways round sees each difference twice. */
  readonly readings: number;
}

export interface MeasureHeadsOptions {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly seed: number;
  readonly pairs: number;
  readonly heldOutPairs: number;
  readonly steps: number;
}

/** Trains the scoring token and the model that compares, each from nothing, and measures both on pairs neither has seen. */
export async function measureHeads(options: MeasureHeadsOptions): Promise<HeadQuality[]> {
  await using service = await createTinkerClient({ baseUrl: options.engineUrl }).connect();
  const measured: HeadQuality[] = [];
  for (const head of await makeHeads(options)) {
    const startedAt = performance.now();
    const model = await service.createTraining({ baseModel: options.modelDirectory, rank: 8, seed: options.seed });
    for (let step = 0; step < options.steps; step += 1) {
      const pairs = Array.from({ length: PAIRS_PER_STEP }, (_, at) => (step * PAIRS_PER_STEP + at) % options.pairs);
      await head.pass(model, pairs);
      await model.optimStep({ learningRate: head.learningRate });
    }
    const margins: number[] = [];
    for (let start = 0; start < head.heldOut.length; start += PAIRS_PER_STEP) {
      const { logprobs } = await model.forward(head.heldOut.slice(start, start + PAIRS_PER_STEP).flat());
      margins.push(...readScores(logprobs).map(({ chosen, rejected }) => (chosen - rejected) / head.readings));
    }
    await model.close();
    const { name, learningRate } = head;
    const seconds = (performance.now() - startedAt) / 1000;
    measured.push({ ...measureMargins(margins), head: name, steps: options.steps, learningRate, seconds });
  }
  return measured;
}

async function makeHeads({ modelDirectory, seed, pairs, heldOutPairs }: MeasureHeadsOptions): Promise<Head[]> {
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  const train = listPairs({ count: pairs, seed, split: 'train' });
  const heldOut = listPairs({ count: heldOutPairs, seed, split: 'eval' });
  const method = createRewardMethod();
  const toScored = async (record: PreferenceRecord): Promise<RecordExample> => {
    const example = await method.toExample(record, { tokenizer, maxTokens: 128 });
    if ('skipped' in example) throw new Error(example.skipped);
    return example;
  };
  const scored = await Promise.all(train.map(toScored));
  const compared = await Promise.all(train.map((record) => renderComparison(record, tokenizer)));
  const heldOutComparisons = await Promise.all(heldOut.map((record) => renderComparison(record, tokenizer)));
  return [
    {
      name: 'scoring token',
      learningRate: 1e-2,
      pass: (model, places) =>
        method.pass(
          model,
          places.map((place) => scored[place]!),
        ),
      heldOut: (await Promise.all(heldOut.map(toScored))).map(({ datums }) => datums),
      readings: 1,
    },
    // The better one of 1e-2 and 3e-3 on this model.
    {
      name: 'comparison',
      learningRate: 3e-3,
      pass: async (model, places) =>
        model.forwardBackward(
          places.flatMap((place) => [compared[place]!.first.right, compared[place]!.second.right]),
          { loss: 'cross_entropy' },
        ),
      heldOut: heldOutComparisons.map(({ first, second }) => [first.right, first.wrong, second.wrong, second.right]),
      readings: 2,
    },
  ];
}
