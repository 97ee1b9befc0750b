import { mean } from '@lachesis/protocol';
import { deviation } from '../group/group-health.ts';
import type { EvaluationReport } from './evaluate-environment.ts';

/** How one model did in an evaluation, under its name. */
export interface ModelReport {
  readonly model: string;
  readonly report: EvaluationReport;
}

/** How far two models are apart on the items that both were scored on. */
export interface PairedDifference {
  readonly left: string;
  readonly right: string;
  /** Items that both models have a score for; others compare nothing. */
  readonly items: number;
  /** Mean of right minus left. */
  readonly difference: number;
  /** 95 %, by the normal approximation of the paired differences. */
  readonly interval: readonly [number, number];
  readonly rightBetter: number;
  readonly leftBetter: number;
}

const NORMAL_95 = 1.96;

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

/** What the differences of two models on the same items, right minus left, say together. */
export function summariseDifferences(differences: readonly number[]): Omit<PairedDifference, 'left' | 'right'> {
  const difference = mean(differences);
  const count = differences.length;
  const error = count < 2 ? Number.NaN : (deviation(differences) * Math.sqrt(count / (count - 1))) / Math.sqrt(count);
  return {
    items: count,
    difference,
    interval: [difference - NORMAL_95 * error, difference + NORMAL_95 * error],
    rightBetter: differences.filter((each) => each > 0).length,
    leftBetter: differences.filter((each) => each < 0).length,
  };
}

function scoresOf({ report }: ModelReport): Map<string, number> {
  return new Map(
    report.samples.flatMap(({ key, outcome }): [string, number][] =>
      outcome.kind === 'scored' ? [[key, outcome.reward]] : [],
    ),
  );
}

/** One table of the models, one of the pairs. */
export function printComparison(reports: readonly ModelReport[]): string {
  const models = [
    ['model', 'items', 'mean reward', 'correct', 'failed', 'abstained', 'seconds'],
    ...reports.map(({ model, report: { metrics, samples, seconds } }) => [
      model,
      String(samples.length),
      formatNumber(metrics['eval/mean_reward']),
      formatPercent(metrics['eval/percent_correct']),
      formatPercent(metrics['eval/failure_rate']),
      formatPercent(metrics['eval/abstention_rate']),
      seconds.toFixed(1),
    ]),
  ];
  if (reports.length < 2) return printTable(models);
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
  return `${printTable(models)}\n${printTable(pairs)}`;
}

function printTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const print = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return `${rows.map(print).join('\n')}\n`;
}

const formatNumber = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(3));
const formatPercent = (value: number | undefined): string =>
  value === undefined ? '–' : `${(100 * value).toFixed(1)} %`;
const formatSigned = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
