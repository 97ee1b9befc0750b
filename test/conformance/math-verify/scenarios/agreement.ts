import { findMathVerifyPython, runMathVerify } from '../../../peers/math-verify/run-math-verify.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { disagreements } from '../disagreements.ts';
import { compareVerdicts, ourGrade } from '../grade.ts';
import { makePairs } from '../make-pairs.ts';
import { type Verdict, readVerdicts } from '../verdicts.ts';

const MIN_PAIRS = 500;
const MIN_AGREEMENT = 0.98;

export const agreementScenario: Scenario = {
  name: 'agreement',
  title: 'our grader of LaTeX answers against the real math_verify, with every disagreement and its reason',
  async run(context) {
    const verdicts = await readVerdicts();
    const pairs = makePairs();
    const isCurrent =
      pairs.length === verdicts.length &&
      pairs.every(
        ({ expected, reply }, index) => verdicts[index]?.expected === expected && verdicts[index]?.reply === reply,
      );
    context.report({
      name: 'pairs',
      figure: `${pairs.length} pairs, verdicts ${isCurrent ? 'for these' : 'for others: run main.ts'}`,
      bar: `≥ ${MIN_PAIRS}, and for these`,
      ok: pairs.length >= MIN_PAIRS && isCurrent,
    });
    const python = findMathVerifyPython();
    if (python !== undefined) {
      const live = await runMathVerify(python, pairs);
      const changed = verdicts.filter((verdict: Verdict, index) => verdict.same !== live[index]);
      for (const { expected, reply } of changed) context.log(`Python changed its mind about ${expected} | ${reply}`);
      context.report({
        name: 'live Python',
        figure: `${changed.length} of ${live.length} verdicts differ from those on disk`,
        bar: '0',
        ok: changed.length === 0,
      });
    }
    const { agreed, known, unknown } = compareVerdicts(verdicts, ourGrade);
    for (const { verdict, disagreement } of known)
      context.log(`Python ${verdict.same}: ${verdict.expected} | ${verdict.reply}. ${disagreement.reason}`);
    for (const { expected, reply, same } of unknown) context.log(`unexplained, Python ${same}: ${expected} | ${reply}`);
    context.report({
      name: 'agreement',
      figure: `${agreed} of ${verdicts.length} (${((100 * agreed) / verdicts.length).toFixed(2)} %), ${known.length} explained, ${unknown.length} not`,
      bar: `≥ ${100 * MIN_AGREEMENT} %, none unexplained`,
      ok: agreed >= MIN_AGREEMENT * verdicts.length && unknown.length === 0,
    });
    const idle = disagreements.filter((row) => !known.some(({ disagreement }) => disagreement === row));
    context.report({
      name: 'reasons',
      figure: `${disagreements.length - idle.length} of ${disagreements.length} rows are needed`,
      bar: 'all',
      ok: idle.length === 0,
    });
  },
};
