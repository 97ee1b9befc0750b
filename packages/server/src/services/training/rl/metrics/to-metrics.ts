import type { StepReport } from './step-report.ts';

/** A step as named numbers. The first eight names are the contract; users' dashboards know them. */
export function toMetrics(report: StepReport): Record<string, number> {
  const { facts, kl, comparison, loss, staleness, times, optimizer } = report;
  const metrics: Record<string, number | undefined> = {
    'train/loss': loss === undefined ? undefined : loss.sum / Math.max(1, facts.trainedTokens),
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
    'rlhf/kl': kl?.sequence,
    'rlhf/kl_per_token': kl?.token,
    'rlhf/kl_k1': kl?.k1,
    'rlhf/kl_k3': kl?.k3,
    'rlhf/kl_penalty': kl?.penalty,
    'rlhf/reward_model': kl === undefined && facts.shaped === undefined ? undefined : facts.rewardMean,
    'rlhf/reward_counted': facts.shaped?.mean,
    'rlhf/reward_clipped': facts.shaped?.clippedShare,
    'rlhf/length_penalty': facts.shaped?.lengthPenalty,
    'time/step': times.total,
    'time/waited': times.waited,
    'time/converted': times.converted,
    'time/engine': times.engine,
    'time/published': times.published,
  };
  for (const [reason, count] of Object.entries(facts.leftOut)) {
    metrics[`train/left_out_${reason.replaceAll('-', '_')}`] = count;
  }
  // `skyrl.ai/grad_norm` and `grad_norm` are the same to a reader.
  for (const [name, value] of Object.entries(optimizer)) metrics[`optimizer/${name.split('/').at(-1)}`] = value;
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
