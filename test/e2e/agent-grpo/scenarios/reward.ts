import type { Scenario } from '../../../scenarios/scenario.ts';
import careless from '../careless-look.ts';
import { judgeReward } from '../judge-reward.ts';
import look from '../look.ts';

export const rewardScenario: Scenario = {
  name: 'reward',
  title: 'the reward of the toy gives nothing to who did not use the tool',
  async run(context) {
    const { cases, wrong } = await judgeReward(look);
    context.report({
      name: 'cases that earn what is due',
      figure: `${cases - wrong.length} of ${cases}${wrong.length === 0 ? '' : `, not: ${wrong.join(', ')}`}`,
      bar: `${cases} of ${cases}`,
      ok: wrong.length === 0,
    });
    const mutant = await judgeReward(careless);
    context.report({
      name: 'mutant whose reward ignores the call',
      figure: `${mutant.wrong.length} cases earn what is not due: ${mutant.wrong.join(', ')}`,
      bar: 'caught: those that answer without a look',
      ok: mutant.wrong.includes('answers without a look'),
    });
  },
};
