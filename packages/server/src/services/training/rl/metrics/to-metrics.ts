import { describeDistribution, type Histogram } from './distribution.ts';
import type { StepReport } from './step-report.ts';

/** A step as named numbers. The first eight names are the contract; users' dashboards know them. */
export function toMetrics(report: StepReport): Record<string, number> {
  const { facts, kl, distill, comparison, loss, staleness, times, optimizer } = report;
  const metrics: Record<string, number | undefined> = {
    'train/loss':
      loss === undefined ? undefined : loss.sum / (loss.isMean === true ? 1 : Math.max(1, facts.trainedTokens)),
    'train/learning_rate': report.learningRate,
    'reward/mean': facts.rewardMean,
    'logprobs/mean': comparison?.samplerMean,
    'logprobs/mean_training': comparison?.trainerMean,
    'logprobs/diff': comparison?.kl1,
    'advantages/mean': facts.advantageMean,
    'advantages/std': facts.advantageStd,

    'train/loss_sum': loss?.sum,
    'train/policy_version': report.policyVersion,
    'train/groups': facts.groups,
    'train/dead_groups': facts.deadGroups,
    'train/trained_tokens': facts.trainedTokens,
    'train/sequence_length': facts.meanLength,
    'train/updates': report.updates === 1 ? undefined : report.updates,
    'train/empty_batches': report.emptyBatches === 0 ? undefined : report.emptyBatches,
    'train/downweighted': facts.downweighted,
    'train/staleness_mean': staleness?.mean,
    'train/staleness_max': staleness?.max,
    'reward/std': facts.rewardStd,
    'numerics/kl1': comparison?.kl1,
    'numerics/kl2': comparison?.kl2,
    'numerics/kl3': comparison?.kl3,
    'numerics/ratio_mean': comparison?.ratioMean,
    'numerics/ratio_max': comparison?.ratioMax,
    'numerics/clip_fraction': comparison?.clipFraction,
    'numerics/drift': comparison === undefined || comparison.driftTokens === 0 ? undefined : comparison.drift,
    'numerics/alarms': report.alarms.length,
    'policy/entropy_estimate': facts.replies.entropyEstimate,
    'replies/most_common_share': facts.replies.mostCommonShare,
    'rlhf/kl': kl?.sequence,
    'rlhf/kl_per_token': kl?.token,
    'rlhf/kl_k1': kl?.k1,
    'rlhf/kl_k2': kl?.k2,
    'rlhf/kl_k3': kl?.k3,
    'rlhf/kl_penalty': kl?.penalty,
    'rlhf/reward_model': kl === undefined ? undefined : facts.rewardMean,
    'distill/kl': distill?.kl,
    'distill/teacher_logprob': distill?.teacherLogprob,
    'distill/taught_share': distill?.taughtShare,
    'reward/counted': facts.shaped?.mean,
    'reward/clipped_share': facts.shaped?.clippedShare,
    'reward/length_penalty': facts.shaped?.lengthPenalty,
    'throughput/tokens_per_second': times.total > 0 ? facts.totalTokens / times.total : undefined,
    'time/step': times.total,
    'time/waited': times.waited,
    'time/converted': times.converted,
    'time/engine': times.engine,
    'time/published': times.published,
    'time/train_seconds': times.engine,
    'time/publish_seconds': times.published,
    'cost/total': report.cost,
  };
  for (const [group, { quantiles }] of distributionsOf(report)) {
    for (const [name, value] of Object.entries(quantiles)) metrics[`${group}/${name}`] = value;
  }
  for (const [reason, count] of Object.entries(facts.leftOut)) {
    metrics[`train/left_out_${reason.replaceAll('-', '_')}`] = count;
  }
  // `skyrl.ai/grad_norm` and `grad_norm` are the same to a reader.
  for (const [name, value] of Object.entries(optimizer)) metrics[`optimizer/${name.split('/').at(-1)}`] = value;
  for (const [name, value] of Object.entries(report.policy ?? {})) metrics[`policy/${name}`] = value;
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

/** Rewards, lengths and ratios of a step, as charts that show more than one number. */
export const toHistograms = (report: StepReport): Record<string, Histogram> =>
  Object.fromEntries(distributionsOf(report).map(([group, { histogram }]) => [`${group}/histogram`, histogram]));

function distributionsOf({ facts, comparison }: StepReport) {
  const values = {
    reward: facts.rewards,
    length: facts.replies.lengths,
    ratio: comparison?.ratios ?? new Float64Array(),
  };
  return Object.entries(values).flatMap(([group, all]) => {
    const distribution = describeDistribution(all);
    return distribution === undefined ? [] : [[group, distribution] as const];
  });
}
