import { compareMathAnswer } from '../../../../packages/sdk/src/environment/rewards/math/compare-math-answer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { type Grade, compareVerdicts, ourGrade } from '../grade.ts';
import { readVerdicts } from '../verdicts.ts';

/** Graders with one fault each, as somebody could write them. */
const mutants: Readonly<Record<string, Grade>> = {
  'rounds to two places': ({ expected, reply }) => compareMathAnswer({ expected, reply, decimals: 2 }).isSame,
  'does not see a minus sign': ({ expected, reply }) => ourGrade({ expected, reply: reply.replaceAll('-', '') }),
  'takes open and closed for the same': ({ expected, reply }) =>
    ourGrade({ expected: expected.replaceAll('[', '('), reply: reply.replaceAll('[', '(') }),
  'takes the first box': ({ expected, reply }) =>
    ourGrade({ expected, reply: /\\boxed\{[^{}]*\}/.exec(reply)?.[0] ?? reply }),
  'takes a relation where a set is wanted': ({ expected, reply }) =>
    compareMathAnswer({ expected, reply, acceptRelationForSet: true }).isSame,
  'says yes when it finds nothing': ({ expected, reply }) => {
    const verdict = compareMathAnswer({ expected, reply });
    return verdict.isSame || verdict.answer === undefined;
  },
};

export const mutantsScenario: Scenario = {
  name: 'mutants',
  title: 'graders with a seeded fault are told from ours by the same verdicts',
  async run(context) {
    const verdicts = await readVerdicts();
    for (const [name, grade] of Object.entries(mutants)) {
      const { unknown } = compareVerdicts(verdicts, grade);
      context.report({
        name,
        figure: `caught by ${unknown.length} pairs`,
        bar: '≥ 1',
        ok: unknown.length > 0,
      });
    }
  },
};
