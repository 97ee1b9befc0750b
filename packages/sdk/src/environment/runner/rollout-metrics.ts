import { mean } from '@lachesis/protocol';
import type { GradedRollout, OpenedEnvironment } from '../definition.ts';
import type { GroupHealth } from '../group/group-health.ts';
import type { Outcome } from '../outcome.ts';
import type { Split } from '../split.ts';

/** Grading may say so itself with the signal `correct`; otherwise half of the reward is the line. */
const CORRECT_FROM = 0.5;

export function isCorrect(outcome: Outcome): boolean {
  if (outcome.kind !== 'scored') return false;
  return (outcome.signals?.['correct'] ?? outcome.reward) >= CORRECT_FROM;
}

/**
 * The metrics every environment has, from outcomes alone: failures and abstentions are counted and enter no mean. Nothing is
 * said about rewards when nothing was scored.
 */
export function measureOutcomes(split: Split, outcomes: readonly Outcome[]): Record<string, number> {
  const scored = outcomes.filter((outcome) => outcome.kind === 'scored');
  const failures = outcomes.filter((outcome) => outcome.kind === 'failed').length;
  const abstentions = outcomes.filter((outcome) => outcome.kind === 'abstained').length;
  const metrics: Record<string, number> = {};
  if (scored.length > 0) {
    metrics[`${split}/percent_correct`] = mean(scored.map((outcome) => (isCorrect(outcome) ? 1 : 0)));
    metrics[`${split}/mean_reward`] = mean(scored.map(({ reward }) => reward));
    for (const name of new Set(scored.flatMap(({ signals }) => Object.keys(signals ?? {})))) {
      metrics[`${split}/signal/${name}`] = mean(scored.flatMap(({ signals }) => signals?.[name] ?? []));
    }
  }
  metrics[`${split}/rollouts`] = outcomes.length;
  metrics[`${split}/failure_rate`] = outcomes.length === 0 ? 0 : failures / outcomes.length;
  const broken = outcomes.filter((outcome) => outcome.kind === 'failed' && outcome.failure === 'verifier').length;
  metrics[`${split}/verifier_failure_rate`] = outcomes.length === 0 ? 0 : broken / outcomes.length;
  metrics[`${split}/abstention_rate`] = outcomes.length === 0 ? 0 : abstentions / outcomes.length;
  return metrics;
}

/** Health of the groups of training, averaged. */
export function measureHealth(groups: readonly GroupHealth[], dropped: number): Record<string, number> {
  if (groups.length === 0) return { 'train/groups': 0, 'train/groups_dropped': dropped };
  const of = (read: (health: GroupHealth) => number): number => mean(groups.map(read));
  return {
    'train/groups': groups.length,
    'train/groups_dropped': dropped,
    'train/dead_group_rate': of(({ isDead }) => (isDead ? 1 : 0)),
    'train/reward_entropy': of(({ rewardEntropy }) => rewardEntropy),
    'train/reward_std': of(({ rewardDeviation }) => rewardDeviation),
    'train/completion_length_mean': of(({ lengths }) => lengths.mean),
    'train/completion_length_std': of(({ lengths }) => lengths.deviation),
    'train/completion_length_max': groups.reduce((most, { lengths }) => Math.max(most, lengths.most), 0),
    'train/truncated_rate': of(({ truncatedShare }) => truncatedShare),
    'train/truncated_reward_share': of(({ truncatedRewardShare }) => truncatedRewardShare),
  };
}

/** The environment's own metrics under the name of their split. A name it prefixed itself stays. */
export function measureOwn(
  environment: OpenedEnvironment,
  split: Split,
  rollouts: readonly GradedRollout[],
): Record<string, number> {
  if (environment.metrics === undefined || rollouts.length === 0) return {};
  return prefixMetrics(split, environment.metrics(rollouts, split));
}

export function prefixMetrics(split: Split, metrics: Readonly<Record<string, number>>): Record<string, number> {
  const finite = Object.entries(metrics).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(finite.map(([name, value]) => [name.includes('/') ? name : `${split}/${name}`, value]));
}
