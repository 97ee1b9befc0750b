import type { CustomLoss, Datum } from '@lachesis/tinker';

import type { EngineModel } from '../../../packages/server/src/services/training/engine/engine.ts';
import type { Random } from '../render/random.ts';

/** Cues, tokens of a reply, and tokens to choose from. */
export const CUES = 4;
export const LENGTH = 2;
export const CHOICES = 8;
const FIRST_CUE = 100;
const ADAM = { rate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8 };

/** A policy small enough to be exact: a row of logits for each cue and each place of the reply, and Adam over all of them. */
export interface ExactPolicy {
  /** As a trainer speaks to an engine, as far as a pass does. */
  readonly model: EngineModel;
  step(): void;
  sample(cue: number, random: Random): { tokens: number[]; logprobs: number[] };
  /** The chance of a token. */
  chanceOf(cue: number, place: number, token: number): number;
  /** Log probabilities of the targets as they were at the start. */
  reference(datums: readonly Datum[]): Float32Array[];
}

export function createExactPolicy(): ExactPolicy {
  const size = CUES * LENGTH * CHOICES;
  const logits = new Float64Array(size);
  const gradient = new Float64Array(size);
  const moments = [new Float64Array(size), new Float64Array(size)] as const;
  let steps = 0;
  const rowAt = (cue: number, place: number): number => (cue * LENGTH + place) * CHOICES;
  const chances = (row: number): Float64Array => {
    const own = logits.subarray(row, row + CHOICES);
    const most = Math.max(...own);
    const raised = own.map((value) => Math.exp(value - most));
    const total = raised.reduce((sum, value) => sum + value, 0);
    return raised.map((value) => value / total);
  };
  const places = ({ tokens, inputs }: Datum): { row: number; target: number }[] =>
    Array.from(inputs['target_tokens'] as Int32Array, (target, place) => ({
      row: rowAt(tokens[0]! - FIRST_CUE, place),
      target,
    }));
  const forward = (datums: readonly Datum[]): Float64Array[] =>
    datums.map((datum) => Float64Array.from(places(datum), ({ row, target }) => Math.log(chances(row)[target]!)));
  const customLoss = (datums: readonly Datum[], loss: CustomLoss) => {
    const logprobs = forward(datums);
    const { loss: value, gradients, metrics } = loss({ logprobs, datums });
    for (const [index, datum] of datums.entries()) {
      for (const [place, { row, target }] of places(datum).entries()) {
        const own = gradients[index]![place]!;
        for (const [token, chance] of chances(row).entries()) gradient[row + token]! -= own * chance;
        gradient[row + target]! += own;
      }
    }
    const outcome = { logprobs, metrics: { ...metrics, 'loss:sum': value } };
    return Object.assign(Promise.resolve(outcome), { submitted: Promise.resolve(), requestId: undefined });
  };
  return {
    model: { customLoss } as unknown as EngineModel,
    step() {
      steps += 1;
      const [first, second] = moments;
      for (const [index, value] of gradient.entries()) {
        first[index] = ADAM.beta1 * first[index]! + (1 - ADAM.beta1) * value;
        second[index] = ADAM.beta2 * second[index]! + (1 - ADAM.beta2) * value * value;
        const mean = first[index] / (1 - ADAM.beta1 ** steps);
        const spread = Math.sqrt(second[index] / (1 - ADAM.beta2 ** steps));
        logits[index]! -= (ADAM.rate * mean) / (spread + ADAM.eps);
      }
      gradient.fill(0);
    },
    sample(cue, random) {
      const tokens: number[] = [];
      const logprobs: number[] = [];
      for (let place = 0; place < LENGTH; place += 1) {
        const own = chances(rowAt(cue, place));
        let left = random.next();
        let token = 0;
        while (token < CHOICES - 1 && left >= own[token]!) {
          left -= own[token]!;
          token += 1;
        }
        tokens.push(token);
        logprobs.push(Math.log(own[token]!));
      }
      return { tokens: [FIRST_CUE + cue, ...tokens], logprobs: [1, ...logprobs] };
    },
    chanceOf: (cue, place, token) => chances(rowAt(cue, place))[token]!,
    reference: (datums) => datums.map((datum) => new Float32Array(places(datum).length).fill(Math.log(1 / CHOICES))),
  };
}
