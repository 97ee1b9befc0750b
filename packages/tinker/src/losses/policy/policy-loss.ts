import { checkLogprobs, checkSetting, zerosLike } from '../check-logprobs.ts';
import type { CustomLoss, CustomLossInput } from '../custom-loss.ts';
import { LossInputError } from '../loss-input-error.ts';
import { findAggregationWeights } from './find-aggregation-weights.ts';
import { klTerms } from './kl-terms.ts';
import type { PolicyLossOptions, SamplerCorrection } from './policy-settings.ts';
import { readPolicyRows, type PolicyRow } from './read-policy-rows.ts';

/** e^20 is beyond every clip; further away a ratio would only overflow. It takes no gradient there. */
const MOST_LOG_RATIO = 20;

/**
 * The losses of GRPO and its relatives, built of their parts: which ratio, to what, how it is clipped, what corrects the sampler, how
 * tokens add up, and what else is in the loss. Datums carry `logprobs` (the sampler's), `advantages` and, where not every token counts,
 * `weights`. What was held back is in the metrics.
 */
export function createPolicyLoss(options: PolicyLossOptions = {}): CustomLoss {
  const { ratio = 'token', ratioTo = 'sampler', clip = 'none', aggregation = 'token_sum', correction, kl } = options;
  const { low = 0, high = Number.POSITIVE_INFINITY, entropyCoefficient = 0 } = options;
  if (!(low <= high)) throw refuse(`its ratio cannot lie between ${low} and ${high}`);
  if (correction !== undefined && ratioTo === 'sampler') {
    throw refuse('a ratio to the sampler corrects it already; a correction goes with a ratio to the proximal policy');
  }
  checkSetting({ loss: 'policy', name: 'entropyCoefficient', value: entropyCoefficient });
  if (kl !== undefined) checkSetting({ loss: 'policy', name: 'kl.coefficient', value: kl.coefficient });

  return (input) => {
    const rows = readRows(input, options);
    const weights = findAggregationWeights({ rows, aggregation, length: options.length });
    const gradients = zerosLike(input.logprobs);
    const held = { clipped: 0, corrected: 0, tokens: 0, kl: 0, entropy: 0 };
    const meanLogprob = entropyCoefficient === 0 ? 0 : meanOf(rows);
    let loss = 0;
    for (const [index, row] of rows.entries()) {
      const gradient = gradients[index]!;
      const weight = weights[index]!;
      const { trained, learner, sampler, advantages, reference } = row;
      if (trained.length === 0) continue;
      const base = ratioTo === 'sampler' ? sampler : row.proximal;
      const { ratios, slopes } = findRatios({ ratio, learner, base, trained });
      const corrections = findCorrections(row, correction);
      /** Gradient by the mean log ratio of the sequence, where the ratio is the sequence's. */
      let shared = 0;
      for (const [place, token] of trained.entries()) {
        const logprob = learner[token]!;
        const advantage = advantages[token]!;
        const own = ratios[place]!;
        const clipped = Math.min(Math.max(own, low), high);
        const factor = corrections[place]!;
        held.tokens += 1;
        if (factor.isHeld) held.corrected += 1;
        if (clip === 'weight') {
          if (clipped !== own) held.clipped += 1;
          loss -= weight * factor.weight * clipped * advantage * logprob;
          gradient[token]! -= weight * factor.weight * clipped * advantage;
        } else {
          const isHeld = clip === 'pessimistic' && clipped * advantage < own * advantage;
          if (isHeld) held.clipped += 1;
          loss -= weight * factor.weight * (isHeld ? clipped : own) * advantage;
          const slope = isHeld ? 0 : -weight * factor.weight * advantage * slopes[place]!;
          if (ratio === 'token') gradient[token]! += slope;
          else shared += slope;
        }
        if (kl !== undefined) {
          const { value, slope } = klTerms[kl.estimator](logprob - reference![token]!);
          held.kl += value;
          loss += weight * kl.coefficient * value;
          gradient[token]! += weight * kl.coefficient * slope;
        }
        held.entropy -= logprob;
        // −∇H = E[(log π − b)·∇log π] for any b: the mean over the batch takes noise away.
        const surprise = logprob - meanLogprob;
        loss += (weight * entropyCoefficient * surprise * surprise) / 2;
        gradient[token]! += weight * entropyCoefficient * surprise;
      }
      if (shared !== 0) for (const token of trained) gradient[token]! += shared / trained.length;
    }
    const share = (count: number): number => (held.tokens === 0 ? 0 : count / held.tokens);
    return {
      loss,
      gradients,
      metrics: {
        'policy:clipped_share': share(held.clipped),
        'policy:corrected_share': share(held.corrected),
        'policy:entropy_estimate': share(held.entropy),
        ...(kl === undefined ? {} : { 'policy:kl': share(held.kl) }),
      },
    };
  };
}

const refuse = (reason: string): LossInputError => new LossInputError({ loss: 'policy', reason });

function readRows(input: CustomLossInput, { kl, proximal }: PolicyLossOptions): PolicyRow[] {
  const { logprobs, datums } = input;
  checkLogprobs({ loss: 'policy', what: 'logprobs', arrays: logprobs, datums });
  if (kl !== undefined) checkLogprobs({ loss: 'policy', what: 'reference', arrays: kl.reference, datums });
  if (proximal !== undefined) checkLogprobs({ loss: 'policy', what: 'proximal', arrays: proximal, datums });
  return readPolicyRows({ input, reference: kl?.reference, proximal });
}

/** Of each trained token: its ratio, and the ratio's derivative by the log ratio it is made of. */
function findRatios(options: {
  ratio: 'sequence' | 'token';
  learner: ArrayLike<number>;
  base: ArrayLike<number>;
  trained: readonly number[];
}): { ratios: number[]; slopes: number[] } {
  const { ratio, learner, base, trained } = options;
  const logRatios = trained.map((token) => learner[token]! - base[token]!);
  const used =
    ratio === 'token'
      ? logRatios
      : logRatios.map(() => logRatios.reduce((sum, value) => sum + value, 0) / logRatios.length);
  const ratios = used.map((value) => Math.exp(Math.min(Math.max(value, -MOST_LOG_RATIO), MOST_LOG_RATIO)));
  return { ratios, slopes: ratios.map((value, place) => (Math.abs(used[place]!) > MOST_LOG_RATIO ? 0 : value)) };
}

function findCorrections(
  { trained, proximal, sampler }: PolicyRow,
  correction: SamplerCorrection | undefined,
): { weight: number; isHeld: boolean }[] {
  if (correction === undefined) return trained.map(() => ({ weight: 1, isHeld: false }));
  const { kind, level, low = 0, high = Number.POSITIVE_INFINITY } = correction;
  const differences = trained.map((token) => proximal[token]! - sampler[token]!);
  const total = differences.reduce((sum, value) => sum + value, 0);
  return differences.map((difference) => {
    const log = level === 'token' ? difference : total;
    const plain = Math.exp(Math.min(Math.max(log, -MOST_LOG_RATIO), MOST_LOG_RATIO));
    if (kind === 'full') return { weight: plain, isHeld: false };
    if (kind === 'truncate') return { weight: Math.min(plain, high), isHeld: plain > high };
    const isHeld = plain < low || plain > high;
    return { weight: isHeld ? 0 : plain, isHeld };
  });
}

function meanOf(rows: readonly PolicyRow[]): number {
  let sum = 0;
  let count = 0;
  for (const { trained, learner } of rows) {
    for (const token of trained) sum += learner[token]!;
    count += trained.length;
  }
  return count === 0 ? 0 : sum / count;
}
