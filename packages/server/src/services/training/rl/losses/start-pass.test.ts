import { recipeSchema } from '@lachesis/protocol';
import { defineLoss, type CustomLoss, type Datum, type PassOptions } from '@lachesis/tinker';
import { expect, test } from 'vitest';

import type { EngineModel, EngineTraits } from '../../engine/engine.ts';
import { convertBatch } from '../datums/convert-batch.ts';
import { makeGroup } from '../datums/group.fixture.ts';
import { TrainerError } from '../../trainer-error.ts';
import { startPass } from './start-pass.ts';

const { sequences } = convertBatch({
  groups: [
    makeGroup([
      { tokens: [1, 2, 3], logprobs: [1, -1, -1], score: 1 },
      { tokens: [1, 2], logprobs: [1, -1], score: 0 },
    ]),
  ],
  estimate: ({ scores }) => Float64Array.from(scores, (score) => score - 0.5),
  maxTokens: 100,
});

const traits: EngineTraits = {
  wantsWeights: true,
  savesStateWithWeights: true,
  repeatsSafely: true,
  clipNote: undefined,
};

/** What the engine is asked for: its own loss, or one that is computed here. */
async function ask(
  tinker: object,
  more: Partial<EngineTraits> = {},
  reference?: Float32Array[],
  own?: Parameters<typeof startPass>[0]['own'],
) {
  const asked: { own?: PassOptions; datums?: readonly Datum[]; isOurs?: boolean } = {};
  const handle = <T>(value: T) =>
    Object.assign(Promise.resolve(value), { submitted: Promise.resolve(), requestId: undefined });
  const logprobs = sequences.map(({ datum }) => new Float32Array(datum.tokens.length).fill(-1));
  const model = {
    forwardBackward: (datums: readonly Datum[], own: PassOptions) => {
      Object.assign(asked, { own, datums });
      return handle({ logprobs, metrics: {} });
    },
    customLoss: (datums: readonly Datum[], loss: CustomLoss) => {
      Object.assign(asked, { isOurs: true, datums });
      const { loss: sum, metrics } = loss({ logprobs, datums });
      return handle({ logprobs, metrics: { ...metrics, 'loss:sum': sum } });
    },
  } as unknown as EngineModel;
  const recipe = recipeSchema.parse({ env: { max_token_length: 10 }, tinker });
  const pass = startPass({ model, recipe, traits: { ...traits, ...more }, sequences, reference, own });
  return { ...asked, ...pass, result: await pass.result };
}

const advantagesOf = (datums: readonly Datum[] | undefined): number[][] =>
  (datums ?? []).map(({ inputs }) => [...(inputs['advantages'] as Float32Array)]);

test('a recipe that says nothing sends what it always sent', async () => {
  const { own, datums, isMean } = await ask({});
  expect(own).toEqual({ loss: 'importance_sampling', config: undefined });
  expect(datums).toEqual(sequences.map(({ datum }) => datum));
  expect(isMean).toBe(false);
});

test('the engine’s own loss is used where it has it, and the aggregation is a factor of the advantages', async () => {
  const { own, datums, isMean } = await ask({ algorithm: 'dr_grpo' });
  expect(own).toEqual({ loss: 'ppo', config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 } });
  expect(advantagesOf(datums).map((row) => row.map((value) => Math.round(value * 1e6) / 1e6))).toEqual([
    [0.025, 0.025],
    [-0.025],
  ]);
  expect(isMean).toBe(true);
});

test('what the engine has not is computed here', async () => {
  expect((await ask({ algorithm: 'gspo' })).isOurs).toBe(true);
  expect((await ask({ loss: 'ppo' }, { losses: ['cross_entropy', 'importance_sampling'] })).isOurs).toBe(true);
  expect((await ask({ entropy_coefficient: 0.1 })).isOurs).toBe(true);
  expect((await ask({ sampler_correction: 'tis' })).isOurs).toBe(true);
  const reference = sequences.map(({ datum }) => new Float32Array(datum.tokens.length).fill(-2));
  const { result, isOurs } = await ask({ algorithm: 'grpo' }, {}, reference);
  expect(isOurs).toBe(true);
  expect(result.policy?.['kl']).toBeCloseTo(Math.exp(-1), 6);
});

test('gradients are with the engine when a loss that is computed here has ended, not when its first pass was taken', async () => {
  const { submitted, result } = await ask({ algorithm: 'gspo' });
  expect(await submitted).toEqual(result);
});

test('the loss of a file is computed here, sees groups and scores, and one that fails is a fault of the settings', async () => {
  const own = defineLoss({
    name: 'mine',
    loss: ({ learner, scores, sequences: [first, second] }) => ({
      loss: learner
        .times(scores.minus(scores.mean('group')))
        .mean('sequence')
        .sum()
        .times(-1),
      metrics: { first: first!.score, second: second!.score },
    }),
  });
  const { isOurs, result, isMean } = await ask({ loss: 'mine.ts' }, {}, undefined, own);
  expect([isOurs, isMean, result.metrics['loss:sum']! + 0]).toEqual([true, true, 0]);
  expect(result.policy).toEqual({ first: 1, second: 0 });
  const failing = defineLoss({ name: 'mine', loss: ({ learner }) => learner.log().sum() });
  const refused = ask({ loss: '/a/mine.ts' }, {}, undefined, failing);
  await expect(refused).rejects.toThrow(/The loss of \/a\/mine\.ts failed on a batch of the run: .* is NaN/);
  await expect(refused).rejects.toSatisfy(TrainerError.isInstance);
});
