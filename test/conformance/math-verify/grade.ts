import { compareMathAnswer } from '../../../packages/sdk/src/environment/rewards/math/compare-math-answer.ts';
import type { MathPair } from '../../peers/math-verify/run-math-verify.ts';
import { type Disagreement, disagreements } from './disagreements.ts';
import type { Verdict } from './verdicts.ts';

export type Grade = (pair: MathPair) => boolean;

export const ourGrade: Grade = ({ expected, reply }) => compareMathAnswer({ expected, reply }).isSame;

export interface Comparison {
  readonly agreed: number;
  readonly known: readonly { verdict: Verdict; disagreement: Disagreement }[];
  /** Differences that no row of disagreements.ts explains. */
  readonly unknown: readonly Verdict[];
}

export function compareVerdicts(verdicts: readonly Verdict[], grade: Grade): Comparison {
  const different = verdicts.filter((verdict) => grade(verdict) !== verdict.same);
  const explained = different.map((verdict) => ({
    verdict,
    disagreement: disagreements.find(({ ours, covers }) => ours !== verdict.same && covers(verdict)),
  }));
  return {
    agreed: verdicts.length - different.length,
    known: explained.flatMap(({ verdict, disagreement }) =>
      disagreement === undefined ? [] : [{ verdict, disagreement }],
    ),
    unknown: explained.filter(({ disagreement }) => disagreement === undefined).map(({ verdict }) => verdict),
  };
}
