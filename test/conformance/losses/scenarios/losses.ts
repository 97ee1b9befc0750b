import type { Scenario } from '../../../scenarios/scenario.ts';
import { askReference } from '../ask-reference.ts';
import { describeDifferences, differenceOf, largestDifference, TOLERANCE } from '../compare-answers.ts';
import { type LossCase, type LossName, lossNames, makeCases } from '../make-cases.ts';
import { lossMutants } from '../mutants.ts';
import { type Answer, answerLoss, type MakeLoss } from '../our-answers.ts';

const CASES = 1_000;
const FULL_CASES = 5_000;
/** Far more than a fault needs to be seen. */
const MUTANT_CASES = 200;
const SEED = 900;

export const lossesScenario: Scenario = {
  name: 'preferences',
  title: 'DPO, IPO, SimPO, Bradley–Terry and KTO: values and gradients are those of the papers’ formulas in numpy',
  async run(context) {
    const count = context.full ? FULL_CASES : CASES;
    const known = new Map<LossName, { cases: LossCase[]; theirs: Answer[] }>();
    for (const [index, loss] of lossNames.entries()) {
      const cases = makeCases({ loss, count, seed: SEED + index });
      const theirs = await askReference<Answer>(cases);
      known.set(loss, { cases: cases.slice(0, MUTANT_CASES), theirs });
      const { value, gradient, beyond } = compare(cases, theirs);
      context.report({
        name: loss,
        figure: `${count} cases, values within ${value.toExponential(1)}, gradients within ${gradient.toExponential(1)}`,
        bar: `≥ ${CASES}, ${TOLERANCE}`,
        ok: cases.length >= CASES && beyond === 0,
      });
    }
    const planted = lossMutants.flatMap(({ losses, ...mutant }) => losses.map((loss) => ({ ...mutant, loss })));
    let caught = 0;
    for (const { fault, loss, make } of planted) {
      const { cases, theirs } = known.get(loss)!;
      const { beyond } = compare(cases, theirs, make);
      context.log(`${loss}, ${fault}: ${beyond} of ${cases.length} cases differ`);
      if (beyond > 0) caught += 1;
    }
    context.report({
      name: 'losses with a fault',
      figure: `${caught} of ${planted.length} noticed`,
      bar: 'all',
      ok: caught === planted.length,
    });
  },
};

function compare(cases: readonly LossCase[], theirs: readonly Answer[], make?: MakeLoss) {
  return describeDifferences(
    cases.map((one, index) => {
      const ours = answerLoss(one, make);
      const expected = theirs[index]!;
      return {
        value: differenceOf(ours.value, expected.value),
        gradient: largestDifference(ours.gradients, expected.gradients),
      };
    }),
  );
}
