import type { TrainingRun } from '@lachesis/store';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck, StepResult } from './run-preflight.ts';
import { ignoresReward } from './teacher-check.ts';

/** What replies of the model earned, one list for each task; a task that could not be rolled out has an empty one. */
export type SampledRewards = readonly (readonly number[])[];

export interface RewardsCheckParts {
  /** Rolls out tasks with the model that the run begins with; undefined for an environment that cannot be asked here. */
  sample: (run: TrainingRun, signal: AbortSignal) => Promise<SampledRewards | undefined>;
  /** What teaches the model examples of the environment first. */
  writeWarmUpCommand: (run: TrainingRun) => string;
}

export const SAMPLED_TASKS = 16;
/** Enough to see whether they differ; a whole group of a large model takes minutes. */
export const MOST_REPLIES = 4;
/** A model that needs longer is tried when the run starts. */
const SAMPLE_MS = 60_000;
/** Closing what was opened takes its time, too. */
const LIMIT_MS = SAMPLE_MS + 30_000;
/** With fewer tasks nothing is refused. */
const LEAST_TASKS = SAMPLED_TASKS / 2;

/** What the model itself earns before anything is spent on training it. */
export function createRewardsCheck({ sample, writeWarmUpCommand }: RewardsCheckParts): PreflightCheck {
  return {
    name: 'rewards',
    limitMs: LIMIT_MS,
    fix: 'Start the run again: the model and the environment are asked anew.',
    async run(run, signal) {
      if (ignoresReward(run)) return { state: 'skipped', message: 'A teacher is learnt from, and rewards are not.' };
      let rewards: SampledRewards | undefined;
      try {
        rewards = await sample(run, AbortSignal.any([signal, AbortSignal.timeout(SAMPLE_MS)]));
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        return { state: 'skipped', message: `The model could not be sampled: ${reason}` };
      }
      if (rewards === undefined)
        return { state: 'skipped', message: 'It cannot be sampled here: it is tried when it starts.' };
      return judgeSpread(rewards, {
        isAllowed: tinkerOf(run)['allow_flat_reward'] === true,
        fix: `Teach examples of the environment first: \`${writeWarmUpCommand(run)}\`. To start all the same, say allow_flat_reward: true in the section tinker of the recipe.`,
      });
    },
  };
}

/** Refuses rewards of which nothing can be learned: all replies to each task earned the same. */
export function judgeSpread(
  rewards: SampledRewards,
  { isAllowed, fix }: { isAllowed: boolean; fix: string },
): StepResult {
  const groups = rewards.filter(({ length }) => length > 1);
  const all = groups.flat();
  if (groups.length === 0) {
    return { state: 'skipped', message: 'No task was rolled out in time: the rewards of the model are not known.' };
  }
  const differing = groups.filter((group) => group.some((reward) => reward !== group[0])).length;
  const mean = all.reduce((sum, reward) => sum + reward, 0) / all.length;
  const spread = `${all.length} replies of the model to ${groups.length} tasks earned ${round(Math.min(...all))} to ${round(Math.max(...all))}, ${round(mean)} on average; those to ${differing} tasks differ.`;
  if (differing > 0) return { state: 'passed', message: spread };
  const message = `${spread} Nothing can be learned from replies that all earn the same.`;
  if (isAllowed || groups.length < LEAST_TASKS) return { state: 'warned', message };
  throw new PreflightFailure({ message, fix });
}

const tinkerOf = ({ config }: TrainingRun): Record<string, unknown> =>
  (config as { recipe?: { tinker?: Record<string, unknown> } }).recipe?.tinker ?? {};

const round = (value: number): number => Math.round(value * 1000) / 1000;
