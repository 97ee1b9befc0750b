import { COMPARED_STEPS, type Curve, type Learning, type Point } from './learning.ts';

/** The series that judges look at. Those of environments may stand behind the name of one. */
const OF_TRAINER = [
  ...['reward/mean', 'reward/std', 'train/groups', 'train/dead_groups', 'train/learning_rate', 'train/staleness_mean'],
  ...['numerics/kl3', 'numerics/ratio_max', 'numerics/clip_fraction', 'policy/entropy_estimate'],
  'replies/most_common_share',
];
const OF_ENVIRONMENTS = [
  ...['train/truncated_rate', 'train/truncated_reward_share', 'train/verifier_failure_rate', 'train/parse_failures'],
  ...['train/signal/parsed', 'eval/mean_reward'],
];

export const isJudged = (name: string): boolean =>
  OF_TRAINER.includes(name) || OF_ENVIRONMENTS.some((series) => name === series || name.endsWith(`/${series}`));

/** How the judged series began and how they stand, from points that are at hand, such as those of a file. */
export function toCurves(
  points: readonly { series: string; step: number; value: number | null }[],
): Learning['curves'] {
  const names = [...new Set(points.map(({ series }) => series))].filter(isJudged);
  return new Map(
    names.map((name) => {
      const own = toPoints(points.filter(({ series }) => series === name));
      return [name, toCurve(own, own)];
    }),
  );
}

export const toCurve = (early: readonly Point[], late: readonly Point[]): Curve => ({
  first: early.slice(0, COMPARED_STEPS),
  recent: late.slice(-COMPARED_STEPS),
  highest: Math.max(...early.map(({ value }) => value), ...late.map(({ value }) => value)),
});

/** In the order of their steps. A step that was made again counts as it was made last. */
export function toPoints(points: readonly { step: number; value: number | null }[]): Point[] {
  const found = new Map<number, number>();
  for (const { step, value } of points) if (value !== null) found.set(step, value);
  return [...found].map(([step, value]) => ({ step, value })).toSorted((a, b) => a.step - b.step);
}
