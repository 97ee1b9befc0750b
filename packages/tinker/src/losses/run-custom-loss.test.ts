import { expect, test } from 'vitest';

import type { Datum } from '../codec/datum.ts';
import { createDpoLoss } from './dpo-loss.ts';
import type { SurrogateProfile } from './plan-surrogate.ts';
import { runCustomLoss } from './run-custom-loss.ts';
import { serverGradient } from './server-losses.fixture.ts';

const vocabulary = 5;

/** A bigram model: the logits of the next token are one row of a table. Small enough to differentiate by hand. */
function createBigramServer(profile: SurrogateProfile, seed = 1) {
  let state = seed;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const logits = Float64Array.from({ length: vocabulary * vocabulary }, () => 4 * random() - 2);
  const gradient = new Float64Array(logits.length);
  const sent: { forward: Datum[]; surrogate: Datum[]; options: unknown } = {
    forward: [],
    surrogate: [],
    options: undefined,
  };

  const rowOf = (previous: number) => logits.subarray(previous * vocabulary, (previous + 1) * vocabulary);
  const logprobsOf = (datum: Datum) => {
    const targets = datum.inputs['target_tokens'] as Int32Array;
    return Float64Array.from(datum.tokens, (token, at) => {
      const row = rowOf(token);
      return row[targets[at]!]! - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
    });
  };

  return {
    logits,
    gradient,
    sent,
    logprobsOf,
    forward: async (datums: readonly Datum[]) => {
      sent.forward = [...datums];
      return datums.map((datum) => Float32Array.from(logprobsOf(datum)));
    },
    forwardBackward: async (
      datums: readonly Datum[],
      options: { loss: 'importance_sampling' | 'cross_entropy'; normalisation: 'server' },
    ) => {
      sent.surrogate = [...datums];
      sent.options = options;
      const perToken = serverGradient({
        ...profile,
        loss: options.loss,
        datums,
        logprobs: datums.map(logprobsOf),
        sequencesInStep: datums.length,
      });
      for (const [index, datum] of datums.entries()) {
        const targets = datum.inputs['target_tokens'] as Int32Array;
        for (const [at, token] of datum.tokens.entries()) {
          const row = rowOf(token);
          const total = row.reduce((sum, logit) => sum + Math.exp(logit), 0);
          for (let next = 0; next < vocabulary; next += 1) {
            const slope = (next === targets[at] ? 1 : 0) - Math.exp(row[next]!) / total;
            gradient[token * vocabulary + next]! += perToken[index]![at]! * slope;
          }
        }
      }
      return { accepted: datums.length };
    },
  };
}

const pairOf = (tokens: number[], targets: number[], weights: number[]): Datum => ({
  tokens: Int32Array.from(tokens),
  inputs: { target_tokens: Int32Array.from(targets), weights: Float32Array.from(weights) },
});

const datums = [
  pairOf([0, 1, 2], [1, 2, 3], [0, 1, 1]),
  pairOf([0, 1, 4, 4], [1, 4, 4, 0], [0, 1, 1, 1]),
  pairOf([3, 2], [2, 1], [0, 1]),
  pairOf([3, 2, 0], [2, 0, 0], [0, 1, 1]),
];

test.each([
  { normalisation: 'sum', allowsNegativeWeights: true },
  { normalisation: 'sum', allowsNegativeWeights: false },
  { normalisation: 'token-mean-then-sequence-mean', allowsNegativeWeights: false },
] as const)(
  'dpo moves the weights as its own gradient says: $normalisation, $allowsNegativeWeights',
  async (profile) => {
    const server = createBigramServer(profile);
    const reference = datums.map((datum) => server.logprobsOf(datum).map((value) => value - 0.1));
    const loss = createDpoLoss({ reference, beta: 0.5 });
    const outcome = await runCustomLoss({ datums, loss, source: server, sink: server, profile });

    const lossOfModel = () => loss({ datums, logprobs: datums.map(server.logprobsOf) }).loss;
    expect(outcome.loss).toBeCloseTo(lossOfModel(), 6);
    const numeric = server.logits.map((logit, at) => {
      const lossAt = (shift: number) => {
        server.logits[at] = logit + shift;
        const value = lossOfModel();
        server.logits[at] = logit;
        return value;
      };
      return (lossAt(1e-5) - lossAt(-1e-5)) / 2e-5;
    });
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
    const cosine =
      dot(numeric, server.gradient) / Math.sqrt(dot(numeric, numeric) * dot(server.gradient, server.gradient));
    expect(cosine).toBeGreaterThan(0.999_999);
    expect(Math.sqrt(dot(server.gradient, server.gradient) / dot(numeric, numeric))).toBeCloseTo(1, 5);
  },
);

test('the outcome reports the custom loss and keeps the surrogate apart', async () => {
  const profile = { normalisation: 'sum', allowsNegativeWeights: false } as const;
  const server = createBigramServer(profile);
  const loss = createDpoLoss({ reference: datums.map(server.logprobsOf) });
  const outcome = await runCustomLoss({ datums, loss, source: server, sink: server, profile });
  expect(outcome.metrics).toMatchObject({ 'loss:sum': outcome.loss, dpo_loss: outcome.loss });
  expect([outcome.surrogate, outcome.surrogateLoss]).toEqual([{ accepted: 4 }, 'importance_sampling']);
  expect(server.sent.options).toEqual({ loss: 'importance_sampling', normalisation: 'server' });
  expect(Object.keys(server.sent.forward[0]!.inputs)).toEqual(['target_tokens', 'weights']);
});

test('nothing is sent when the loss is not a number or the forward pass lost a datum', async () => {
  const profile = { normalisation: 'sum', allowsNegativeWeights: false } as const;
  const server = createBigramServer(profile);
  const nothing = { gradients: datums.map(({ tokens }) => new Float64Array(tokens.length)), metrics: {} };
  const run = (options: Partial<Parameters<typeof runCustomLoss>[0]>) =>
    runCustomLoss({ datums, loss: () => ({ ...nothing, loss: 0 }), source: server, sink: server, profile, ...options });
  await expect(run({ loss: () => ({ ...nothing, loss: Number.NaN }) })).rejects.toThrow(/custom: is NaN/);
  await expect(run({ source: { forward: async () => [] } })).rejects.toThrow(/forward pass has 0 arrays for 4 datums/);
  await expect(run({ datums: [] })).rejects.toThrow(/no datums/);
  expect(server.sent.surrogate).toEqual([]);
});
