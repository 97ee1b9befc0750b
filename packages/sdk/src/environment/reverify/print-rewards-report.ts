import type { RewardsReport } from './rewards-report.ts';

/** Rewards on a scale have as many changes as rollouts; the rest is in the JSON. */
const MOST_SHOWN = 12;

/** The table for the terminal: how stored rewards and those of grading again differ. */
export function printRewardsReport(report: RewardsReport): string {
  const { changes, failures } = report;
  const shown = changes.slice(0, MOST_SHOWN);
  const rest = changes.slice(MOST_SHOWN).reduce((sum, { rollouts }) => sum + rollouts, 0);
  return [
    `${report.environment}: ${report.rollouts} rollouts in ${report.groups} groups, verifier ${report.verifier_digest}`,
    `  graded again   ${report.regraded}`,
    `  changed        ${report.changed}`,
    ...shown.map(({ from, to, rollouts }) => `    ${show(from)} → ${show(to)}`.padEnd(24) + rollouts),
    ...(rest === 0 ? [] : [`    others`.padEnd(24) + rest]),
    `  mean reward    ${show(report.mean_before)} → ${show(report.mean_after)}`,
    ...(report.replayed === 0
      ? []
      : [`  played again   ${report.replayed}, tools answered otherwise in ${report.other_results}`]),
    `  not graded     ${report.failed}, and in no number above`,
    ...failures.map(({ reason, rollouts }) => `    ${rollouts}  ${reason}`),
    '',
  ].join('\n');
}

const show = (value: number | null): string => (value === null ? '–' : String(Number(value.toFixed(4))));
