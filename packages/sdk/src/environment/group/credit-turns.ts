import type { Scored } from '../outcome.ts';

/**
 * Advantages of the turns of a group, by rollout and turn; undefined where no turn has a reward of its own. With r the reward
 * of a rollout, and g of a turn what it and the turns after it earned by themselves:
 *
 *     A(rollout, turn) = r − mean of r + g(turn) − mean of g(turn) over the rollouts that came to this turn
 */
export function creditTurns(outcomes: readonly Scored[], turnCounts: readonly number[]): Float64Array[] | undefined {
  if (outcomes.every(({ turns }) => turns === undefined)) return undefined;
  const meanReward = average(outcomes.map(({ reward }) => reward));
  const toGo = outcomes.map(({ turns = [] }, rollout) => {
    const earned = new Float64Array(turnCounts[rollout]!);
    for (let turn = earned.length - 1; turn >= 0; turn -= 1)
      earned[turn] = (turns[turn] ?? 0) + (earned[turn + 1] ?? 0);
    return earned;
  });
  const means = Array.from({ length: Math.max(0, ...turnCounts) }, (_, turn) =>
    average(toGo.flatMap((earned) => (turn < earned.length ? [earned[turn]!] : []))),
  );
  return toGo.map((earned, rollout) =>
    earned.map((value, turn) => outcomes[rollout]!.reward - meanReward + value - means[turn]!),
  );
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
