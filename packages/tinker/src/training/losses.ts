import type { Datum, LossConfig } from '../codec/datum.ts';
import { toTensor } from '../codec/tensor.ts';

/** Ratio bounds that are always sent: servers disagree about their defaults. */
const DEFAULT_CONFIGS: Readonly<Record<string, LossConfig>> = Object.freeze({
  ppo: Object.freeze({ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }),
  cispo: Object.freeze({ clip_low_threshold: 0, clip_high_threshold: 4 }),
  dro: Object.freeze({ beta: 0.05 }),
});

export function completeConfig(loss: string, config: LossConfig | undefined): LossConfig | undefined {
  const defaults = DEFAULT_CONFIGS[loss];
  return defaults === undefined ? config : { ...defaults, ...config };
}

const REINFORCEMENT_INPUTS = Object.freeze(['target_tokens', 'logprobs', 'advantages']);

/** What a datum must bring for each loss; a missing one is padded with zeros by some servers. */
export const REQUIRED_INPUTS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  cross_entropy: Object.freeze(['target_tokens', 'weights']),
  importance_sampling: REINFORCEMENT_INPUTS,
  ppo: REINFORCEMENT_INPUTS,
  cispo: REINFORCEMENT_INPUTS,
  dro: REINFORCEMENT_INPUTS,
});

/** Losses in which the advantage is a factor: a scaled advantage scales the loss and moves no clip. */
export const LINEAR_IN_ADVANTAGES: ReadonlySet<string> = new Set(['importance_sampling', 'ppo', 'cispo']);

/** The sum of the per-token losses from the learner's log probabilities, or undefined for a loss that is not known here. */
export function computeLossSum(options: {
  loss: string;
  config: LossConfig | undefined;
  datums: readonly Datum[];
  logprobs: readonly Float32Array[];
}): number | undefined {
  const { loss, config, datums, logprobs } = options;
  const low = Number(config?.['clip_low_threshold'] ?? 0);
  const high = Number(config?.['clip_high_threshold'] ?? Number.POSITIVE_INFINITY);
  let sum = 0;
  for (const [index, datum] of datums.entries()) {
    const learner = logprobs[index]!;
    const weights = floats(datum, 'weights');
    if (loss === 'cross_entropy') {
      if (weights?.length !== learner.length) return undefined;
      for (let token = 0; token < learner.length; token += 1) {
        // A masked token counts nothing, whatever its log probability.
        if (weights[token] !== 0) sum -= weights[token]! * learner[token]!;
      }
      continue;
    }
    const [sampler, advantages] = [floats(datum, 'logprobs'), floats(datum, 'advantages')];
    if (!LINEAR_IN_ADVANTAGES.has(loss) || sampler === undefined || advantages === undefined) return undefined;
    for (let token = 0; token < learner.length; token += 1) {
      const advantage = advantages[token]! * (weights?.[token] ?? 1);
      if (advantage === 0) continue;
      const ratio = Math.exp(learner[token]! - sampler[token]!);
      const clipped = Math.min(Math.max(ratio, low), high);
      if (loss === 'importance_sampling') sum -= ratio * advantage;
      else if (loss === 'ppo') sum -= Math.min(ratio * advantage, clipped * advantage);
      else sum -= clipped * learner[token]! * advantage;
    }
  }
  return sum;
}

/** A float input of a datum. */
export function floats(datum: Datum, name: string): Float32Array | undefined {
  const input = datum.inputs[name];
  if (input === undefined) return undefined;
  const { data } = toTensor(input);
  return data instanceof Float32Array ? data : undefined;
}
