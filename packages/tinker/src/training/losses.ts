import { LOSSES } from '@lachesis/protocol';
import type { Datum, LossConfig } from '../codec/datum.ts';
import { toTensor } from '../codec/tensor.ts';

interface Loss {
  /** What a datum must bring; a missing one is padded with zeros by some servers. */
  readonly inputs: readonly string[];
  /** Always sent: servers disagree about their defaults. */
  readonly config?: LossConfig;
  /**
   * What a token adds to the objective, where the advantage is a factor of it: a scaled advantage scales the loss and moves
   * no clip. `ratio` is that of learner to sampler, `clipped` the same within the bounds, `logprob` the learner's.
   */
  readonly objective?: (ratio: number, clipped: number, advantage: number, logprob: number) => number;
}

const REINFORCEMENT_INPUTS = Object.freeze(['target_tokens', 'logprobs', 'advantages']);

const boundedBy = ({ low, high }: { low: number; high: number }): LossConfig =>
  Object.freeze({ clip_low_threshold: low, clip_high_threshold: high });

/** Every loss that is known here, those of a recipe and those that the engine alone computes. */
const LOSS_TABLE = Object.freeze({
  cross_entropy: { inputs: Object.freeze(['target_tokens', 'weights']) },
  importance_sampling: { inputs: REINFORCEMENT_INPUTS, objective: (ratio, _clipped, advantage) => ratio * advantage },
  ppo: {
    inputs: REINFORCEMENT_INPUTS,
    config: boundedBy(LOSSES.ppo.clip),
    objective: (ratio, clipped, advantage) => Math.min(ratio * advantage, clipped * advantage),
  },
  cispo: {
    inputs: REINFORCEMENT_INPUTS,
    config: boundedBy(LOSSES.cispo.clip),
    objective: (_ratio, clipped, advantage, logprob) => clipped * logprob * advantage,
  },
  dro: { inputs: REINFORCEMENT_INPUTS, config: Object.freeze({ beta: 0.05 }) },
}) satisfies Readonly<Record<keyof typeof LOSSES | 'cross_entropy' | 'dro', Loss>>;

/** Undefined for a loss that a server knows and we do not. */
const findLoss = (name: string): Loss | undefined =>
  Object.hasOwn(LOSS_TABLE, name) ? LOSS_TABLE[name as keyof typeof LOSS_TABLE] : undefined;

export function completeConfig(loss: string, config: LossConfig | undefined): LossConfig | undefined {
  const defaults = findLoss(loss)?.config;
  return defaults === undefined ? config : { ...defaults, ...config };
}

export const requiredInputs = (loss: string): readonly string[] => findLoss(loss)?.inputs ?? [];

/** Whether the advantage is a factor of the loss. */
export const isLinearInAdvantages = (loss: string): boolean => findLoss(loss)?.objective !== undefined;

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
  const objective = findLoss(loss)?.objective;
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
    if (objective === undefined || sampler === undefined || advantages === undefined) return undefined;
    for (let token = 0; token < learner.length; token += 1) {
      const advantage = advantages[token]! * (weights?.[token] ?? 1);
      if (advantage === 0) continue;
      const ratio = Math.exp(learner[token]! - sampler[token]!);
      const clipped = Math.min(Math.max(ratio, low), high);
      sum -= objective(ratio, clipped, advantage, learner[token]!);
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
