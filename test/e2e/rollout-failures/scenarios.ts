import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import type { Faults } from './arithmetic.ts';
import { runGroups, type GroupsRun } from './run-groups.ts';

const GROUPS = 1300;
const SHARE = 0.1;
const killed: Faults = { share: SHARE, seed: 11, style: 'failure' };

/** A tenth of all rollouts is killed: what is left must teach exactly what it teaches without. */
export const scenarios: Scenario[] = [
  {
    name: 'surviving-set',
    title: 'with 10 % of rollouts killed, advantages of what survives equal those of the fault-free run',
    run: async (context) => {
      const whole = await runGroups({ groups: GROUPS, failurePolicy: 'complete' });
      const completed = await runGroups({ groups: GROUPS, failurePolicy: 'complete', faults: killed });
      const dropping = await runGroups({ groups: GROUPS, failurePolicy: 'drop', faults: killed });
      reportEqual(context, 'completed groups', whole, completed, GROUPS);
      reportEqual(context, 'groups left by drop', whole, dropping, GROUPS - dropping.dropped);
      reportRate(context, completed);
      reportZeros(context, whole, completed);
    },
  },
  {
    name: 'mutant',
    title: 'a run that turns failures into zeros is caught',
    run: async (context) => {
      const whole = await runGroups({ groups: 200, failurePolicy: 'complete' });
      const mutant = await runGroups({ groups: 200, failurePolicy: 'complete', faults: { ...killed, style: 'zero' } });
      const { differing } = compare(whole, mutant);
      const isCaught = differing > 0 && mutant.metrics['train/failure_rate'] === 0;
      context.report({
        name: 'mutant',
        figure: `${differing} of 200 groups differ`,
        bar: 'caught: > 0',
        ok: isCaught,
      });
    },
  },
];

function compare(whole: GroupsRun, other: GroupsRun): { equal: number; differing: number } {
  let [equal, differing] = [0, 0];
  for (const [key, advantages] of other.advantages) {
    const expected = whole.advantages.get(key) ?? [];
    const isEqual =
      expected.length === advantages.length && expected.every((value, index) => value === advantages[index]);
    if (isEqual) equal += 1;
    else differing += 1;
  }
  return { equal, differing };
}

function reportEqual(
  context: ScenarioContext,
  name: string,
  whole: GroupsRun,
  other: GroupsRun,
  expected: number,
): void {
  const { equal, differing } = compare(whole, other);
  context.report({
    name,
    figure: `${equal} equal, ${differing} differ`,
    bar: `${expected} equal, 0 differ`,
    ok: equal === expected && differing === 0,
  });
}

function reportRate(context: ScenarioContext, { outcomes, metrics }: GroupsRun): void {
  const reported = metrics['train/failure_rate'] ?? 0;
  const counted = outcomes.filter(({ kind }) => kind === 'failed').length / outcomes.length;
  const kinds = Object.entries(
    Object.groupBy(
      outcomes.filter(({ kind }) => kind === 'failed'),
      (outcome) => (outcome.kind === 'failed' ? outcome.failure : ''),
    ),
  ).map(([kind, list]) => `${list?.length ?? 0} ${kind}`);
  context.log(`${outcomes.length} attempts: ${kinds.join(', ')}`);
  context.report({
    name: 'failure rate reported',
    figure: `${(100 * reported).toFixed(2)} % (counted ${(100 * counted).toFixed(2)} %)`,
    bar: '10 % ± 1',
    ok: Math.abs(reported - SHARE) <= 0.01 && reported === counted,
  });
}

/** Zeros are earned: there are as many of them as without faults, and no failed outcome carries a number. */
function reportZeros(context: ScenarioContext, whole: GroupsRun, completed: GroupsRun): void {
  const zeros = ({ outcomes }: GroupsRun): number =>
    outcomes.filter((outcome) => outcome.kind === 'scored' && outcome.reward === 0).length;
  const numbered = completed.outcomes.filter((outcome) => outcome.kind !== 'scored' && 'reward' in outcome).length;
  const sameMean = completed.metrics['train/mean_reward'] === whole.metrics['train/mean_reward'];
  context.report({
    name: 'fake zeros',
    figure: `${zeros(completed) - zeros(whole)} more zeros than the fault-free ${zeros(whole)}, ${numbered} failures with a number`,
    bar: '0 and 0, same mean reward',
    ok: zeros(completed) === zeros(whole) && numbered === 0 && sameMean,
  });
}
