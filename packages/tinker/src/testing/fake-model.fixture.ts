import type { Datum } from '../codec/datum.ts';
import { toTensor } from '../codec/tensor.ts';

/**
 * A model with one weight: the log probability of a token is a number of the token plus that weight. Small enough to check
 * by hand, and a real gradient: what is normalised wrongly ends in another weight.
 */
export interface FakeModel {
  id: string;
  sessionId: string;
  weight: number;
  gradient: number;
  /** Sequences since the last step. */
  sequences: number;
  nextSeqId: number;
  failedSeqId: number | undefined;
  /** What was carried out, in order. */
  applied: string[];
  checkpoints: Map<string, number>;
  /** The sampling checkpoint whose weights are in place, for the server that mixes them. */
  loadedSampler: string | undefined;
}

export const tokenLogprob = (token: number, weight: number): number => -1 - (token % 10) / 10 + weight;

const numbersOf = (datum: Datum, name: string): number[] | undefined => {
  const input = datum.inputs[name];
  return input === undefined ? undefined : Array.from(toTensor(input).data as Iterable<bigint | number>, Number);
};

/** Runs a loss over one datum: log probabilities, the loss, and its derivative by the weight. */
export function runLoss(options: {
  datum: Datum;
  loss: string;
  config: Readonly<Record<string, number | string>>;
  weight: number;
  dividesByWeights: boolean;
}): { logprobs: Float32Array; loss: number; gradient: number } {
  const { datum, loss, config, weight, dividesByWeights } = options;
  const targets = numbersOf(datum, 'target_tokens') ?? [];
  const weights = numbersOf(datum, 'weights');
  const sampler = numbersOf(datum, 'logprobs') ?? [];
  const advantages = numbersOf(datum, 'advantages') ?? [];
  const low = Number(config['clip_low_threshold'] ?? 0.8);
  const high = Number(config['clip_high_threshold'] ?? 1.2);
  const logprobs = Float32Array.from(targets, (token) => tokenLogprob(token, weight));
  let [total, gradient] = [0, 0];
  for (const [index, logprob] of logprobs.entries()) {
    const factor = weights?.[index] ?? 1;
    if (loss === 'cross_entropy') {
      total -= factor * logprob;
      gradient -= factor;
      continue;
    }
    const ratio = Math.exp(logprob - sampler[index]!);
    const clipped = Math.min(Math.max(ratio, low), high);
    const advantage = advantages[index]! * factor;
    if (loss === 'cispo') {
      total -= clipped * advantage * logprob;
      gradient -= clipped * advantage;
    } else if (loss === 'ppo' && clipped * advantage < ratio * advantage) {
      total -= clipped * advantage;
    } else {
      total -= ratio * advantage;
      gradient -= ratio * advantage;
    }
  }
  const divisor = dividesByWeights
    ? Math.max(
        1e-9,
        (weights ?? targets.map(() => 1)).reduce((sum, each) => sum + each, 0),
      )
    : 1;
  return { logprobs, loss: total / divisor, gradient: gradient / divisor };
}
