import type { LearningFinding } from '@lachesis/protocol';
import { hasLearned, mean, readDeadShare, readRecent, readReward, type Learning } from './learning.ts';
import { writeCommand, writeTrainCommand, writeWarmUpCommand } from './write-command.ts';

/** Nothing was ever earned: what is never rewarded is never learned. */
export function judgeNoReward(learning: Learning): LearningFinding | undefined {
  const reward = readReward(learning);
  const spread = readRecent(learning, 'reward/std');
  if (reward === undefined || readDeadShare(learning) !== 1) return undefined;
  if (reward.best !== 0 || reward.now !== 0 || spread?.some((value) => value !== 0) === true) return undefined;
  const isWarm = hasValue(learning.tinker['warm_up']) || hasValue(learning.tinker['initial_state']);
  return {
    cause: 'no-reward',
    facts: { 'reward/mean': 0, dead_group_share: 1, step: reward.steps },
    message: `no reply has earned anything in ${reward.steps} steps, ${isWarm ? 'although the run began with taught weights; teach it longer, or on examples closer to its tasks' : 'and what is never rewarded is never learned; teach examples of the environment first, and begin with the state that is printed'}`,
    command: writeWarmUpCommand(learning),
  };
}

/** All replies of every group earn the same, so nothing tells the model which way is up. */
export function judgeEqualGroups(learning: Learning): LearningFinding | undefined {
  const reward = readReward(learning);
  if (reward === undefined || readDeadShare(learning) !== 1 || hasLearned(learning)) return undefined;
  const spread = mean(readRecent(learning, 'reward/std') ?? [0]);
  const size = Number(learning.env['group_size'] ?? 0);
  const isConstant = spread === 0;
  return {
    cause: 'equal-groups',
    facts: { 'reward/mean': reward.now, 'reward/std': spread, dead_group_share: 1, group_size: size },
    message: isConstant
      ? `all replies to all tasks earned ${reward.now.toFixed(3)}, so nothing tells the model which way is up; look at what the reward gives to right and wrong examples`
      : `all replies of every group earned the same (reward ${reward.now.toFixed(3)} on average), so nothing tells the model which way is up; larger groups find the rare reply that differs`,
    command: isConstant
      ? writeCommand('env', 'check', learning.environment)
      : writeTrainCommand(learning, { 'env.group_size': 2 * size, 'env.dynamic_resampling': 'true' }),
  };
}

/** Training rewards that rose by so much should show in the evaluation. */
const TRAIN_RISE = 0.1;
/** Less than this share of it does not. */
const SHOWN_SHARE = 0.1;

/** What is trained on is learned, and what is evaluated is not. */
export function judgeEvaluation(learning: Learning): LearningFinding | undefined {
  const reward = readReward(learning);
  if (reward === undefined) return undefined;
  for (const [name, { first, recent }] of learning.curves) {
    if (name !== 'eval/mean_reward' && !name.endsWith('/eval/mean_reward')) continue;
    const [before, now] = [first[0], recent.at(-1)];
    if (before === undefined || now === undefined || now.step <= before.step) continue;
    const trained = readRise(learning, before.step, now.step);
    const rise = now.value - before.value;
    if (trained === undefined || trained.now - trained.before < TRAIN_RISE) continue;
    if (rise >= SHOWN_SHARE * (trained.now - trained.before) || now.value >= 0.9) continue;
    return {
      cause: 'evaluation-flat',
      facts: { [`${name} before`]: before.value, [name]: now.value, 'reward/mean': trained.now },
      message: `the reward of training rose from ${trained.before.toFixed(3)} to ${trained.now.toFixed(3)} between steps ${before.step} and ${now.step}, and that of the evaluation went from ${before.value.toFixed(3)} to ${now.value.toFixed(3)}: what is learned does not hold on other tasks, or is a way around the reward`,
      command: writeCommand('env', 'evaluate', learning.environment),
    };
  }
  return undefined;
}

/** The reward of training around the steps of two evaluations. */
function readRise({ curves }: Learning, from: number, to: number): { before: number; now: number } | undefined {
  const { first = [], recent = [] } = curves.get('reward/mean') ?? {};
  const points = [...first, ...recent];
  const near = (step: number): number | undefined =>
    points.toSorted((a, b) => Math.abs(a.step - step) - Math.abs(b.step - step))[0]?.value;
  const [before, now] = [near(from), near(to)];
  return before === undefined || now === undefined ? undefined : { before, now };
}

/** Earlier a reward may still be about to rise: a warm-up of the optimiser, a first lucky reply. */
const FLAT_AFTER_STEPS = 20;

/** Nothing is wrong with any figure but the one that matters. */
export function judgeFlatReward(learning: Learning): LearningFinding | undefined {
  const reward = readReward(learning);
  if (reward === undefined || reward.steps < FLAT_AFTER_STEPS || hasLearned(learning)) return undefined;
  const rate = Number(learning.tinker['learning_rate'] ?? 4e-5);
  return {
    cause: 'flat-reward',
    facts: { 'reward/mean before': reward.before, 'reward/mean': reward.now, step: reward.steps },
    message: `its reward was ${reward.before.toFixed(3)} in its first steps and is ${reward.now.toFixed(3)} in its last, after ${reward.steps} steps; a higher learning rate, a larger group or easier tasks are what helps most often`,
    command: writeTrainCommand(learning, { 'tinker.learning_rate': Number((3 * rate).toPrecision(2)) }),
  };
}

const hasValue = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
