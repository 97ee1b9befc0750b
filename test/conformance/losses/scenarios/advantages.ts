import {
  estimators,
  type AdvantageEstimator,
} from '../../../../packages/server/src/services/training/rl/advantages.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { type AdvantageAnswer, type AdvantageCase, answerAdvantages, makeAdvantageCases } from '../advantage-cases.ts';
import { askReference } from '../ask-reference.ts';
import { describeDifferences, largestDifference, TOLERANCE } from '../compare-answers.ts';
import { advantageMutants } from '../mutants.ts';

const CASES = 1_000;
const FULL_CASES = 5_000;
const SEED = 950;

export const advantagesScenario: Scenario = {
  name: 'advantages',
  title: 'every advantage estimator gives the numbers of its formula, and the trainer sends them as the gradient',
  async run(context) {
    const count = context.full ? FULL_CASES : CASES;
    const known = new Map<string, { cases: AdvantageCase[]; theirs: AdvantageAnswer[] }>();
    for (const [index, [estimator, estimate]] of Object.entries(estimators).entries()) {
      const cases = makeAdvantageCases({ estimator, count, seed: SEED + index });
      const theirs = await askReference<AdvantageAnswer>(cases);
      known.set(estimator, { cases: cases.slice(0, CASES), theirs });
      const { value, gradient, beyond } = compare(cases, theirs, estimate);
      context.report({
        name: estimator,
        figure: `${count} groups, values within ${value.toExponential(1)}, gradients within ${gradient.toExponential(1)}`,
        bar: `≥ ${CASES}, ${TOLERANCE}`,
        ok: cases.length >= CASES && beyond === 0,
      });
    }
    let caught = 0;
    for (const { fault, estimator, estimate } of advantageMutants) {
      const { cases, theirs } = known.get(estimator)!;
      const { beyond } = compare(cases, theirs, estimate);
      context.log(`${estimator}, ${fault}: ${beyond} of ${cases.length} groups differ`);
      if (beyond > 0) caught += 1;
    }
    context.report({
      name: 'estimators with a fault',
      figure: `${caught} of ${advantageMutants.length} noticed`,
      bar: 'all',
      ok: caught === advantageMutants.length,
    });
  },
};

function compare(cases: readonly AdvantageCase[], theirs: readonly AdvantageAnswer[], estimate: AdvantageEstimator) {
  return describeDifferences(
    cases.map((one, index) => {
      const ours = answerAdvantages(one, estimate);
      const expected = theirs[index]!;
      return {
        value: largestDifference([ours.advantages], [expected.advantages]),
        gradient: largestDifference(ours.gradients, expected.gradients),
      };
    }),
  );
}
