import type { Datum } from '@lachesis/tinker';
import type { LossConfig } from '../../../../packages/tinker/src/codec/datum.ts';

import { BATCH, makeDatums, toRollouts } from '../data/make-datums.ts';

/** What both clients do: the passes and steps of each block in turn, on one model, then the probe. */
export interface Recipe {
  readonly rank: number;
  readonly seed: number;
  readonly learningRate: number;
  /** Optimiser steps of each block. */
  readonly steps: number;
  readonly blocks: readonly RecipeBlock[];
  readonly probe: readonly Datum[];
}

export interface RecipeBlock {
  readonly loss: string;
  /** Always given: the two clients differ in what they send when it is not. */
  readonly config: LossConfig | undefined;
  readonly datums: readonly Datum[];
}

/** What came out, the rows of all passes in order. */
export interface RecipeResult {
  readonly blocks: readonly {
    readonly loss: string;
    readonly logprobs: readonly ArrayLike<number>[];
    /** Per-token losses as the server computed them. */
    readonly losses: readonly ArrayLike<number>[];
    /** Log probabilities of the probe after the steps of the block. */
    readonly probe: readonly ArrayLike<number>[];
  }[];
}

export const MODEL = { rank: 8, seed: 11 };

/** The batch that is trained on, before anybody has trained. */
export const TRAINED = makeDatums({ count: BATCH, seed: 21 });

/**
 * Four losses, five steps each. The sampler is so far off that ratios are clipped on both sides: with all ratios at 1 the
 * three losses with advantages would be one.
 */
export function writeRecipe(logprobs: readonly Float32Array[]): Recipe {
  const rollouts = toRollouts(TRAINED, logprobs, 22);
  return {
    ...MODEL,
    learningRate: 2e-3,
    steps: 5,
    blocks: [
      { loss: 'importance_sampling', config: undefined, datums: rollouts },
      { loss: 'cross_entropy', config: undefined, datums: TRAINED },
      { loss: 'ppo', config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 }, datums: rollouts },
      { loss: 'cispo', config: { clip_low_threshold: 0.7, clip_high_threshold: 1.3 }, datums: rollouts },
    ],
    probe: makeDatums({ count: BATCH, seed: 23 }),
  };
}
