import type { Scenario } from '../../../scenarios/scenario.ts';
import { TOLERANCE } from '../../losses/compare-answers.ts';
import { askTrl } from '../ask-policy-reference.ts';
import { comparePolicy } from '../compare-policy.ts';
import { makePolicyCases } from '../make-policy-cases.ts';
import { policyMutants } from '../mutants.ts';
import type { PolicyAnswer } from '../our-policy-answers.ts';
import { subjects } from '../subjects.ts';

const CASES = 200;
const FULL_CASES = 1_000;
const SEED = 2_300;
/** What TRL has the same loss for. Its REINFORCE trainers take a reply for one action. */
const IN_TRL = new Set(['grpo', 'dr_grpo', 'gspo', 'cispo', 'dapo']);

export const trlScenario: Scenario = {
  name: 'trl',
  title: 'five presets beside the loss of TRL’s own GRPOTrainer, run from its source with numpy for torch',
  async run(context) {
    const count = context.full ? FULL_CASES : CASES;
    const asked = subjects
      .filter(({ name }) => IN_TRL.has(name))
      .map((subject, index) => ({ subject, cases: makePolicyCases({ count, seed: SEED + index }) }));
    const answers = await askTrl<PolicyAnswer & { version: string }>(
      asked.flatMap(({ subject, cases }) => cases.map((one) => ({ ...one, ...subject.reference }))),
    );
    const missed: string[] = [];
    let planted = 0;
    for (const [index, { subject, cases }] of asked.entries()) {
      const theirs = answers.slice(index * count, (index + 1) * count);
      const { value, gradient, beyond } = await comparePolicy(subject, cases, theirs);
      context.report({
        name: `${subject.name}, TRL ${theirs[0]?.version}`,
        figure: `${count} batches, values within ${value.toExponential(1)}, gradients within ${gradient.toExponential(1)}`,
        bar: `≥ ${CASES}, ${TOLERANCE}`,
        ok: cases.length >= CASES && beyond === 0,
      });
      for (const { fault, change } of policyMutants.filter(({ subjects: names }) => names.includes(subject.name))) {
        planted += 1;
        if ((await comparePolicy(subject, cases, theirs, change)).beyond === 0)
          missed.push(`${subject.name}: ${fault}`);
      }
    }
    context.report({
      name: 'trainers with a fault, beside TRL',
      figure: `${planted - missed.length} of ${planted} noticed${missed.map((each) => `; not ${each}`).join('')}`,
      bar: 'all',
      ok: missed.length === 0 && planted > 0,
    });
  },
};
