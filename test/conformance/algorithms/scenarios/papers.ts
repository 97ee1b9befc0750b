import type { Scenario } from '../../../scenarios/scenario.ts';
import { TOLERANCE } from '../../losses/compare-answers.ts';
import { askPolicyReference } from '../ask-policy-reference.ts';
import { comparePolicy } from '../compare-policy.ts';
import { makePolicyCases, type PolicyCase, type PolicySubject } from '../make-policy-cases.ts';
import { policyMutants } from '../mutants.ts';
import type { PolicyAnswer } from '../our-policy-answers.ts';
import { subjects } from '../subjects.ts';

const CASES = 1_000;
const FULL_CASES = 5_000;
/** Far more than a fault needs to be seen. */
const MUTANT_CASES = 150;
const SEED = 2_200;

export const papersScenario: Scenario = {
  name: 'papers',
  title:
    'every preset and every part of a policy loss: values and gradients are those of the papers’ formulas in numpy',
  async run(context) {
    const count = context.full ? FULL_CASES : CASES;
    const known = new Map<string, { subject: PolicySubject; cases: PolicyCase[]; theirs: PolicyAnswer[] }>();
    const asked = subjects.map((subject, index) => ({
      subject,
      cases: makePolicyCases({ count, seed: SEED + index }),
    }));
    // One process for all: starting it costs more than a thousand cases.
    const answers = await askPolicyReference<PolicyAnswer>(
      asked.flatMap(({ subject, cases }) => cases.map((one) => ({ ...one, ...subject.reference }))),
    );
    for (const [index, { subject, cases }] of asked.entries()) {
      const theirs = answers.slice(index * count, (index + 1) * count);
      known.set(subject.name, { subject, cases: cases.slice(0, MUTANT_CASES), theirs });
      const { value, gradient, beyond } = await comparePolicy(subject, cases, theirs);
      context.report({
        name: subject.name,
        figure: `${count} batches, values within ${value.toExponential(1)}, gradients within ${gradient.toExponential(1)}`,
        bar: `≥ ${CASES}, ${TOLERANCE}`,
        ok: cases.length >= CASES && beyond === 0,
      });
    }
    const planted = policyMutants.flatMap(({ subjects: names, ...mutant }) =>
      names.map((name) => ({ ...mutant, name })),
    );
    const missed: string[] = [];
    for (const { fault, name, change } of planted) {
      const { subject, cases, theirs } = known.get(name)!;
      const { beyond } = await comparePolicy(subject, cases, theirs, change);
      context.log(`${name}, ${fault}: ${beyond} of ${cases.length} batches differ`);
      if (beyond === 0) missed.push(`${name}: ${fault}`);
    }
    context.report({
      name: 'trainers with a fault',
      figure: `${planted.length - missed.length} of ${planted.length} noticed (${policyMutants.length} faults)${missed.map((each) => `; not ${each}`).join('')}`,
      bar: 'all',
      ok: missed.length === 0,
    });
  },
};
