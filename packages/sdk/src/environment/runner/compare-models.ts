import { summariseDifferences, type DifferenceSummary } from '@lachesis/protocol';
import type { EvaluationReport } from './evaluate-environment.ts';
import { printRates } from './print-rates.ts';
import { printTable } from './print-table.ts';

/** How one model did in an evaluation, under its name. */
export interface ModelReport {
  readonly model: string;
  readonly report: EvaluationReport;
}

/** How far two models are apart on the items that both were scored on. */
export type PairedDifference = DifferenceSummary & { readonly left: string; readonly right: string };

/** Compares every model with every later one on the same items. */
export function compareModels(reports: readonly ModelReport[]): PairedDifference[] {
  return reports.flatMap((left, index) => reports.slice(index + 1).map((right) => comparePair(left, right)));
}

function comparePair(left: ModelReport, right: ModelReport): PairedDifference {
  const leftScores = scoresOf(left);
  const differences = [...scoresOf(right)].flatMap(([key, score]) => {
    const other = leftScores.get(key);
    return other === undefined ? [] : [score - other];
  });
  return { left: left.model, right: right.model, ...summariseDifferences(differences) };
}

function scoresOf({ report }: ModelReport): Map<string, number> {
  return new Map(
    report.rates.items.flatMap(({ key, meanReward }): [string, number][] =>
      meanReward === null ? [] : [[key, meanReward]],
    ),
  );
}

/** One table of the models, one of what can be quoted with its intervals, one of the pairs. */
export function printComparison(reports: readonly ModelReport[]): string {
  const models = [
    ['model', 'items', 'mean reward', 'correct', 'failed', 'abstained', 'seconds'],
    ...reports.map(({ model, report: { metrics, rates, seconds } }) => [
      model,
      String(rates.items.length),
      formatNumber(metrics['eval/mean_reward']),
      formatPercent(metrics['eval/percent_correct']),
      formatPercent(metrics['eval/failure_rate']),
      formatPercent(metrics['eval/abstention_rate']),
      seconds.toFixed(1),
    ]),
  ];
  const rated = reports.map(({ model, report: { rates } }) => ({ label: model, rates }));
  const tables = `${printTable(models)}\n${printRates('95 % over items', rated)}`;
  if (reports.length < 2) return tables;
  const pairs = [
    ['paired difference', 'items', 'reward', '95 %', 'better : worse'],
    ...compareModels(reports).map((pair) => [
      `${pair.right} − ${pair.left}`,
      String(pair.items),
      formatSigned(pair.difference),
      pair.interval.some(Number.isNaN) ? '–' : `${formatSigned(pair.interval[0])} to ${formatSigned(pair.interval[1])}`,
      `${pair.rightBetter} : ${pair.leftBetter}`,
    ]),
  ];
  return `${tables}\n${printTable(pairs)}`;
}

const formatNumber = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(3));
const formatPercent = (value: number | undefined): string =>
  value === undefined ? '–' : `${(100 * value).toFixed(1)} %`;
const formatSigned = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
