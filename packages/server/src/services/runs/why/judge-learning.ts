/** One step of a run, as far as it tells whether anything was learned. */
export interface LearningStep {
  step: number;
  reward: number;
  groups: number;
  /** Groups whose replies all earned the same: nothing can be learned from them. */
  deadGroups: number;
}

/** How a run began and how it stands, each in the order of its steps. */
export interface Learning {
  first: readonly LearningStep[];
  recent: readonly LearningStep[];
}

/** Steps at either end that are looked at; one alone is luck. */
export const COMPARED_STEPS = 5;
/** Earlier a reward may still be about to rise: a warm-up of the optimiser, a first lucky reply. */
const FLAT_AFTER_STEPS = 20;
/** A reward that rose by less has not risen. */
const LEAST_RISE = 0.01;

/** In plain words why a run that moves does not learn, and what to do; undefined when it learns, or it is too early to tell. */
export function judgeLearning({ first, recent }: Learning): { message: string; hint: string } | undefined {
  if (first.length < COMPARED_STEPS || recent.length < COMPARED_STEPS) return undefined;
  const [before, now] = [meanReward(first), meanReward(recent)];
  if (recent.every(({ groups, deadGroups }) => groups > 0 && deadGroups === groups)) {
    return {
      message: `in its last ${recent.length} steps all replies of every group earned the same (reward ${now.toFixed(3)}), so nothing tells the model which way is up`,
      hint: now === 0 ? HINT_NOTHING_EARNED : HINT_ALL_THE_SAME,
    };
  }
  const step = recent.at(-1)?.step ?? 0;
  if (step < FLAT_AFTER_STEPS || now - before >= LEAST_RISE) return undefined;
  return {
    message: `its reward was ${before.toFixed(3)} in its first ${first.length} steps and is ${now.toFixed(3)} in its last ${recent.length}, after ${step} steps`,
    hint: HINT_FLAT,
  };
}

const HINT_NOTHING_EARNED =
  'No reply earns anything, and what is never rewarded is never learned. Give part of the reward for part of the answer, take easier tasks, or begin with a model that sometimes succeeds: `warm_up` in the recipe teaches examples of the environment first, `initial_state` names weights.';
const HINT_ALL_THE_SAME =
  'If that is the most a reply can earn, the task is learned: `lachesis stop` ends the run. Otherwise the replies have become one: begin again from a checkpoint with a lower learning_rate, a larger group_size, or a reward with more steps between nothing and all.';
const HINT_FLAT =
  'Look at what the replies earn and why (`lachesis env evaluate`, `env check`). Then a learning_rate a few times higher or lower, a larger group_size or batch_size, or tasks that the model solves now and then.';

const meanReward = (steps: readonly LearningStep[]): number =>
  steps.reduce((sum, { reward }) => sum + reward, 0) / steps.length;
