import { failed, scored } from '../outcome.ts';
import { evaluateNumeric } from './math/evaluate-numeric.ts';
import { findAnswer } from './math/find-answer.ts';
import { type MathNode, hasPart } from './math/math-node.ts';
import { normaliseLatex } from './math/normalise-latex.ts';
import { parseLatex } from './math/parse-latex.ts';
import { readPoint } from './math/points.ts';
import { readExpected } from './read-expected.ts';
import type { Reward } from './reward.ts';

export interface NumericRewardOptions {
  /** How far off the answer may be. Default 0, apart from the last bits of a double. */
  readonly tolerance?: number;
  /** How far off it may be as a share of the expected value. Default 0. */
  readonly relativeTolerance?: number;
}

/** What double precision loses in writing a number down and reading it again. */
const ROUNDING = 1e-12;

/** 1 when the last number of the answer (or the one announced or boxed) is within the tolerance, else 0. */
export function createNumericReward({ tolerance = 0, relativeTolerance = 0 }: NumericRewardOptions = {}): Reward {
  return ({ answer, expected }) => {
    const text = readExpected(expected, 'numeric');
    if (typeof text !== 'string') return text;
    const wanted = readNumber(text);
    if (wanted === undefined) return failed('verifier', 'the expected answer of the numeric reward is not a number');
    const found = readNumber(answer);
    if (found === undefined) return scored(0);
    const allowed = Math.max(tolerance, relativeTolerance * Math.abs(wanted), ROUNDING * Math.abs(wanted));
    return scored(Math.abs(found - wanted) <= allowed ? 1 : 0);
  };
}

/** The real number an answer gives; undefined when it gives none, or more than one. */
function readNumber(text: string): number | undefined {
  const found = findAnswer(text);
  if (found === undefined) return undefined;
  const node = takeRightSide(parseLatex(normaliseLatex(found)));
  if (node === undefined || hasPart(node, ({ kind }) => kind === 'symbol' || kind === 'plus-minus')) return undefined;
  const { re, im } = evaluateNumeric(node, readPoint(0));
  return Number.isFinite(re) && im === 0 ? re : undefined;
}

function takeRightSide(node: MathNode | undefined): MathNode | undefined {
  if (node?.kind === 'chain') return node.relations.at(-1)?.right;
  return node?.kind === 'relation' && node.operator === '=' ? node.right : node;
}
