import type { StepReport } from './step-report.ts';

/** That of all rollouts: with groups that were replaced the reward of what is trained on says little about the policy. */
function describeReward({ rewards, rewardMean, setAside }: StepReport['facts']): string {
  if (setAside.rollouts === 0) return `reward ${rewardMean.toFixed(3)}`;
  const all = rewards.length + setAside.rollouts;
  const mean = (rewardMean * rewards.length + setAside.rewardSum) / all;
  return `reward ${mean.toFixed(3)} of all ${all} rollouts (${rewardMean.toFixed(3)} of those trained on; ${setAside.groups} groups resampled)`;
}

/** One line for a person who watches. */
export function describeStep(report: StepReport): string {
  const { step, totalSteps, facts, comparison, kl, loss, times, alarms, learningRate, isUncounted } = report;
  const width = String(totalSteps).length;
  const parts = [
    `step ${String(step).padStart(width)}/${totalSteps}`,
    describeReward(facts),
    loss === undefined
      ? `nothing to learn${isUncounted === true ? ', not counted' : ''}`
      : `loss ${(loss.sum / Math.max(1, facts.trainedTokens)).toFixed(4)}`,
    ...(comparison === undefined ? [] : [`kl ${comparison.kl3.toFixed(4)}`]),
    ...(kl === undefined ? [] : [`from start ${kl.sequence.toFixed(3)}`]),
    `lr ${learningRate.toExponential(1)}`,
    `${facts.groups} groups${facts.deadGroups === 0 ? '' : ` (${facts.deadGroups} dead)`}`,
    `${facts.trainedTokens} tokens`,
    `${times.total.toFixed(1)} s (engine ${times.engine.toFixed(1)}, waited ${times.waited.toFixed(1)})`,
    ...alarms.map(({ name, value }) => `! ${name} ${value.toPrecision(3)}`),
  ];
  return parts.join('  ');
}
