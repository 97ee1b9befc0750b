import { type Complex, absolute, isFiniteComplex } from './complex.ts';
import { evaluateExact } from './evaluate-exact.ts';
import { evaluateNumeric } from './evaluate-numeric.ts';
import { type MathNode, listParts } from './math-node.ts';
import { type Rational, isSameRational, roundRational } from './rational.ts';
import { POINT_COUNT, readPoint } from './points.ts';

/** Double precision, less what a few dozen operations lose. */
const TOLERANCE = 1e-10;

/** A point at which either side has no value says nothing; two that do are enough, for any two differ almost everywhere. */
const MIN_POINTS = 2;

/** Whether two values are the same: exactly when both are fractions, to `decimals` places when one was written as a decimal, else at several points. */
export function isSameValue(expected: MathNode, answer: MathNode, decimals: number): boolean {
  if (isDecimalAtom(expected) || isDecimalAtom(answer)) return isSameRounded(expected, answer, decimals);
  const whole = [readWholePercent(expected), readWholePercent(answer)];
  // 9 % and 9: whoever asks for a percentage may leave the sign out.
  if (whole[0] !== undefined && whole[1] !== undefined) return isSameRational(whole[0], whole[1]);
  const [left, right] = [evaluateExact(expected), evaluateExact(answer)];
  if (left !== undefined && right !== undefined) return isSameRational(left, right);
  return isSameAtPoints(expected, answer);
}

function isDecimalAtom(node: MathNode): boolean {
  if (node.kind === 'number') return node.isDecimal;
  return (node.kind === 'negation' || node.kind === 'percent' || node.kind === 'degrees') && isDecimalAtom(node.of);
}

function readWholePercent(node: MathNode): Rational | undefined {
  const inside = node.kind === 'percent' ? node.of : node;
  if (inside.kind !== 'number' && inside.kind !== 'negation') return undefined;
  const value = evaluateExact(inside);
  return value?.denominator === 1n ? value : undefined;
}

function isSameRounded(expected: MathNode, answer: MathNode, decimals: number): boolean {
  const [left, right] = [evaluateExact(expected), evaluateExact(answer)];
  if (left !== undefined && right !== undefined)
    return roundRational(left, decimals) === roundRational(right, decimals);
  if (hasSymbol(expected) || hasSymbol(answer)) return isSameAtPoints(expected, answer);
  const values = [evaluateNumeric(expected, readPoint(0)), evaluateNumeric(answer, readPoint(0))];
  const [first, second] = values.map(({ re }) => Math.round(re * 10 ** decimals));
  return values.every(({ im }) => Math.abs(im) < TOLERANCE) && first === second && Number.isFinite(first);
}

const hasSymbol = (node: MathNode): boolean => node.kind === 'symbol' || listParts(node).some(hasSymbol);

function isSameAtPoints(expected: MathNode, answer: MathNode): boolean {
  let agreed = 0;
  for (let index = 0; index < POINT_COUNT; index += 1) {
    const left = evaluateNumeric(expected, readPoint(index));
    const right = evaluateNumeric(answer, readPoint(index));
    if (isInfinite(left) || isInfinite(right)) return left.re === right.re;
    if (!isFiniteComplex(left) || !isFiniteComplex(right)) continue;
    if (!isNear(left, right)) return false;
    agreed += 1;
  }
  return agreed >= MIN_POINTS;
}

const isInfinite = ({ re, im }: Complex): boolean => Math.abs(re) === Infinity && im === 0;

const isNear = (a: Complex, b: Complex): boolean =>
  absolute({ re: a.re - b.re, im: a.im - b.im }) <= TOLERANCE * Math.max(absolute(a), absolute(b), 1e-3);

/** The constant c for which left = c · right at every point; undefined when there is none. */
export function findRatio(left: MathNode, right: MathNode): number | undefined {
  let ratio: number | undefined;
  let agreed = 0;
  for (let index = 0; index < POINT_COUNT; index += 1) {
    const [a, b] = [evaluateNumeric(left, readPoint(index)), evaluateNumeric(right, readPoint(index))];
    if (!isFiniteComplex(a) || !isFiniteComplex(b) || absolute(b) < TOLERANCE) continue;
    const found = (a.re * b.re + a.im * b.im) / absolute(b) ** 2;
    if (!isNear(a, { re: found * b.re, im: found * b.im })) return undefined;
    if (ratio !== undefined && Math.abs(found - ratio) > TOLERANCE * Math.max(1, Math.abs(ratio))) return undefined;
    ratio = found;
    agreed += 1;
  }
  return agreed < MIN_POINTS || ratio === 0 ? undefined : ratio;
}
