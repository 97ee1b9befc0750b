import type { StepReport } from './step-report.ts';

/** One line for a person who watches. */
export function describeStep(report: StepReport): string {
  const { step, totalSteps, facts, comparison, kl, loss, times, alarms, learningRate } = report;
  const width = String(totalSteps).length;
  const parts = [
    `step ${String(step).padStart(width)}/${totalSteps}`,
    `reward ${facts.rewardMean.toFixed(3)}`,
    loss === undefined ? 'nothing to learn' : `loss ${(loss.sum / Math.max(1, facts.trainedTokens)).toFixed(4)}`,
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
