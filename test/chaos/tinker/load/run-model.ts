import type { SamplingClient } from '@lachesis/tinker';

import type { Random } from '../../simulation/random.ts';
import type { Operations } from './operations.ts';

export interface RunModelOptions {
  readonly operations: Operations;
  readonly sampler: SamplingClient;
  /** How many operations it makes. */
  readonly count: number;
  readonly random: Random;
  /** Whether the server loads a state into a model that was trained. */
  readonly loadsAnytime: boolean;
}

type Burst = 'forward' | 'long-step' | 'load' | 'sample' | 'save' | 'step';

const BURSTS: readonly Burst[] = ['step', 'step', 'long-step', 'forward', 'sample', 'sample', 'save', 'load'];

/** Trains one model as a program would: steps called ahead of their results, samples beside them, saves and loads between. */
export async function runModel({ operations, sampler, count, random, loadsAnytime }: RunModelOptions): Promise<void> {
  let left = count;
  const start = (burst: Burst): Promise<unknown>[] => {
    const { forward, forwardBackward, optimStep, save, load, sample, saved } = operations;
    switch (burst) {
      case 'step':
        return left < 2 ? [optimStep()] : [forwardBackward(), optimStep()];
      case 'long-step':
        return left < 5 ? [forward()] : [forwardBackward(), forwardBackward(), optimStep(), forward(), optimStep()];
      case 'forward':
        return [forward()];
      case 'sample':
        return [sample(sampler)];
      case 'save':
        return [save()];
      case 'load': {
        const state = loadsAnytime ? saved.shift() : undefined;
        return [state === undefined ? forward() : load(state)];
      }
    }
  };
  while (left > 0) {
    operations.log.beginBurst();
    const calls = start(random.pick(BURSTS));
    left -= calls.length;
    await Promise.all(calls);
  }
}
