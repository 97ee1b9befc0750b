/** An evaluation as one line for a person who watches; undefined for numbers that are none. */
export function describeEvaluation(options: {
  environment: string | undefined;
  step: number;
  metrics: Readonly<Record<string, number>>;
}): string | undefined {
  const { environment, step, metrics } = options;
  const own = Object.entries(metrics).filter(([name]) => name.startsWith('eval/'));
  if (own.length === 0) return undefined;
  const shown = own.filter(([name]) => !ELSEWHERE.has(name));
  const rollouts = metrics['eval/rollouts'];
  return [
    `eval at step ${step}`,
    ...(environment === undefined ? [] : [environment]),
    ...shown.slice(0, MOST_NUMBERS).map(([name, value]) => `${name.slice('eval/'.length)} ${value.toFixed(3)}`),
    ...(rollouts === undefined ? [] : [`${rollouts} rollouts`]),
  ].join('  ');
}

/** A line is read at a glance. */
const MOST_NUMBERS = 6;
const ELSEWHERE = new Set(['eval/rollouts', 'eval/abstention_rate']);
