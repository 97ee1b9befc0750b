/** One point of a series. */
export interface Point {
  step: number;
  value: number;
}

/** How a series began and how it stands, each in the order of its steps. Where it is short the two overlap. */
export interface Curve {
  first: readonly Point[];
  recent: readonly Point[];
  /** The highest value that was read. */
  highest: number;
}

/** What is known of a run's learning: its settings as they were recorded, and its curves. */
export interface Learning {
  run: string;
  environment: string;
  /** The file that a run like it can be started with; null when nobody wrote one. */
  configPath: string | null;
  env: Readonly<Record<string, unknown>>;
  tinker: Readonly<Record<string, unknown>>;
  /** What the check before the start found against the model's chat template; null when it found nothing. */
  templateProblem: string | null;
  curves: ReadonlyMap<string, Curve>;
}

/** Steps after which a judge speaks: one step alone is luck, and more cost money. */
export const JUDGED_STEPS = 3;
/** Steps of either end that are read. */
export const COMPARED_STEPS = 5;

/** A run nothing is known of yet. */
export const NOTHING_KNOWN: Learning = {
  ...{ run: '', environment: '', configPath: null, env: {}, tinker: {}, templateProblem: null },
  curves: new Map(),
};

/** The last values of a series, the newest last; undefined while it has fewer. */
export function readRecent({ curves }: Learning, series: string, count = JUDGED_STEPS): number[] | undefined {
  const recent = curves.get(series)?.recent.slice(-count) ?? [];
  return recent.length < count ? undefined : recent.map(({ value }) => value);
}

/** A series that each environment of the run writes, under the environment's name where there are several. */
export function listRecent(learning: Learning, series: string): { name: string; values: number[] }[] {
  return [...learning.curves.keys()]
    .filter((name) => name === series || name.endsWith(`/${series}`))
    .flatMap((name) => {
      const values = readRecent(learning, name);
      return values === undefined ? [] : [{ name, values }];
    });
}

/** Not that of the protocol: who starts stations reads this file, and would have all schemas in memory with it. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const REWARD = 'reward/mean';
/** A mean that moved by less has not moved: batches differ by as much. */
const LEAST_RISE = 0.01;
/** Who earns this much has little left to learn. */
const NEARLY_ALL = 0.9;

export interface RewardChange {
  /** Mean of the first steps and of the last. */
  before: number;
  now: number;
  /** The highest mean of a step. */
  best: number;
  steps: number;
}

/** How the reward of all rollouts moved; undefined before the judged steps are there. */
export function readReward({ curves }: Learning): RewardChange | undefined {
  const { first, recent, highest } = curves.get(REWARD) ?? { first: [], recent: [], highest: 0 };
  if (recent.length < JUDGED_STEPS) return undefined;
  const values = (points: readonly Point[]): number[] => points.map(({ value }) => value);
  return {
    before: mean(values(first.slice(0, JUDGED_STEPS))),
    now: mean(values(recent.slice(-JUDGED_STEPS))),
    best: highest,
    steps: recent.at(-1)?.step ?? 0,
  };
}

/**
 * Something was learned: more is earned than at first and has not fallen back to the lower third of the way, or nearly all there is.
 * Three steps alone show no rise.
 */
export function hasLearned(learning: Learning): boolean {
  const reward = readReward(learning);
  if (reward === undefined) return false;
  const { before, now, best } = reward;
  return now >= NEARLY_ALL || (now - before >= LEAST_RISE && now >= before + (best - before) / 3);
}

/** Share of the groups whose replies all earned the same, over the last steps. */
export function readDeadShare(learning: Learning): number | undefined {
  const groups = readRecent(learning, 'train/groups');
  const dead = readRecent(learning, 'train/dead_groups');
  if (groups === undefined || dead === undefined || groups.some((count) => count === 0)) return undefined;
  return mean(dead) / mean(groups);
}
