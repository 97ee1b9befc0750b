import { describeDifferences, differenceOf, largestDifference } from '../losses/compare-answers.ts';
import type { PolicyCase, PolicySubject } from './make-policy-cases.ts';
import { answerPolicy, type PolicyAnswer, type PolicyFault } from './our-policy-answers.ts';

/** How far our values and gradients are from theirs, by choice with a fault on our side. */
export async function comparePolicy(
  subject: PolicySubject,
  cases: readonly PolicyCase[],
  theirs: readonly PolicyAnswer[],
  fault?: PolicyFault,
): Promise<ReturnType<typeof describeDifferences>> {
  const pairs: { value: number; gradient: number }[] = [];
  for (const [index, one] of cases.entries()) {
    const ours = await answerPolicy(subject, one, fault);
    const expected = theirs[index]!;
    pairs.push({
      value: differenceOf(ours.value, expected.value),
      gradient: largestDifference(ours.gradients, expected.gradients),
    });
  }
  return describeDifferences(pairs);
}
