import { createDpoLoss } from '@lachesis/tinker';
import type { CustomLoss, Datum, TinkerService, TrainingClient } from '@lachesis/tinker';

import { BATCH, makeDatums, readFloats } from '../data/make-datums.ts';
import { RANK } from '../servers/subject.ts';

const PAIRS = 16;
const WARM_STEPS = 3;

/**
 * Divides every step of Adam. Its update is m / (√v + eps): with the moments off and eps far above every gradient that is
 * gradient / eps, so a rate of `r · EPS` is a plain gradient step of r.
 */
const EPS = 1e4;

/** DPO on 16 pairs, on a model that has moved away from its reference. */
export interface Preferences {
  readonly training: TrainingClient;
  readonly pairs: readonly Datum[];
  readonly loss: CustomLoss;
  readonly probes: readonly Datum[];
  /** A plain gradient step. */
  step(rate: number): Promise<unknown>;
  /** The loss at this moment. */
  measureLoss(): Promise<number>;
  /** Summed log probability of each probe at this moment. */
  measureProbes(): Promise<number[]>;
}

export async function openPreferences(service: TinkerService, baseModel: string): Promise<Preferences> {
  const training = await service.createTraining({ baseModel, rank: RANK, seed: 31 });
  const pairs = makeDatums({ count: 2 * PAIRS, seed: 32 });
  const probes = makeDatums({ count: BATCH, seed: 33 });
  const { logprobs: reference } = await training.forward(pairs);
  // At the reference itself all pairs have one slope, and both LoRA matrices must be off zero to have a gradient each.
  for (let done = 0; done < WARM_STEPS; done += 1) {
    const pass = training.forwardBackward(pairs.slice(0, BATCH), { loss: 'cross_entropy' });
    await training.optimStep({ learningRate: 3e-3 });
    await pass;
  }
  const loss = createDpoLoss({ reference, beta: 0.1 });
  return {
    training,
    pairs,
    loss,
    probes,
    step: (rate) => training.optimStep({ learningRate: rate * EPS, beta1: 0, beta2: 0, eps: EPS }),
    measureLoss: async () => loss({ logprobs: (await training.forward(pairs)).logprobs, datums: pairs }).loss,
    measureProbes: async () => {
      const { logprobs } = await training.forward(probes);
      return logprobs.map((row, index) => sumOf(row, readFloats(probes[index]!, 'weights')));
    },
  };
}

const sumOf = (logprobs: Float32Array, weights: Float32Array): number =>
  logprobs.reduce((sum, value, token) => sum + value * weights[token]!, 0);
