import type { TrainerSection } from '@lachesis/protocol';
import type { PolicyComparison } from './compare-logprobs.ts';

/** A number that should not be as it is, and what it may mean. */
export interface NumericsAlarm {
  name: 'drift' | 'kl' | 'ratio';
  value: number;
  limit: number;
  advice: string;
}

const ADVICE = Object.freeze({
  drift:
    'sampler and trainer disagree on tokens of the same policy: look for re-encoded tokens, another chat template, or a temperature other than 1',
  kl: 'the groups are far from the policy that is trained: lower max_batches_offpolicy or the learning rate, or use ppo or cispo',
  ratio: 'single tokens weigh very much: use ppo or cispo, which bound the ratio',
});

/** Fewer tokens than this say nothing about a mean. */
const LEAST_TOKENS = 16;

export function findAlarms(
  { drift, driftTokens, kl3, ratioMax, tokens }: PolicyComparison,
  section: Pick<TrainerSection, 'drift_alarm' | 'kl_alarm' | 'ratio_alarm'>,
): NumericsAlarm[] {
  const checks = [
    { name: 'drift', value: drift, limit: section.drift_alarm, isKnown: driftTokens >= LEAST_TOKENS },
    { name: 'kl', value: kl3, limit: section.kl_alarm, isKnown: tokens >= LEAST_TOKENS },
    { name: 'ratio', value: ratioMax, limit: section.ratio_alarm, isKnown: tokens > 0 },
  ] as const;
  return checks
    .filter(({ value, limit, isKnown }) => isKnown && !(value <= limit))
    .map(({ name, value, limit }) => ({ name, value, limit, advice: ADVICE[name] }));
}
