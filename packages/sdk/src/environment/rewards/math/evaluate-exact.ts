import type { MathNode } from './math-node.ts';
import {
  type Rational,
  addRationals,
  createRational,
  divideRationals,
  isLessRational,
  isSmall,
  multiplyRationals,
  negateRational,
  raiseRational,
} from './rational.ts';

const HUNDREDTH: Rational = { numerator: 1n, denominator: 100n };

/** 200! has some 1,250 bits; what is larger is left to floating point, which does not know it either. */
const MAX_FACTORIAL = 200n;

/** The value as a fraction, or undefined when it has none: symbols, roots, π, or numbers too large to keep. */
export function evaluateExact(node: MathNode): Rational | undefined {
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'sum':
      return fold(node.terms, addRationals);
    case 'product':
      return fold(node.factors, multiplyRationals);
    case 'quotient':
      return combine(node.top, node.bottom, divideRationals);
    case 'negation': {
      const value = evaluateExact(node.of);
      return value === undefined ? undefined : negateRational(value);
    }
    case 'power':
      return combine(node.base, node.exponent, raiseRational);
    case 'percent': {
      const value = evaluateExact(node.of);
      return value === undefined ? undefined : multiplyRationals(value, HUNDREDTH);
    }
    case 'degrees':
      return evaluateExact(node.of);
    case 'call':
      return call(node.name, node.inputs);
    default:
      return undefined;
  }
}

type Operation = (a: Rational, b: Rational) => Rational | undefined;

function fold(nodes: readonly MathNode[], operation: Operation): Rational | undefined {
  const [first, ...rest] = nodes;
  let value = first === undefined ? undefined : evaluateExact(first);
  for (const node of rest) {
    const next = evaluateExact(node);
    if (value === undefined || next === undefined) return undefined;
    value = operation(value, next);
  }
  return value;
}

const combine = (left: MathNode, right: MathNode, operation: Operation): Rational | undefined =>
  fold([left, right], operation);

function call(name: string, inputs: readonly MathNode[]): Rational | undefined {
  const values = inputs.map(evaluateExact);
  const [first, second] = values;
  if (first === undefined || values.includes(undefined)) return undefined;
  const known = values.filter((value) => value !== undefined);
  switch (name) {
    case 'abs':
      return first.numerator < 0n ? negateRational(first) : first;
    case 'floor':
      return createRational(floor(first));
    case 'ceil':
      return createRational(-floor(negateRational(first)));
    case 'factorial':
      return isWhole(first) && first.numerator <= MAX_FACTORIAL
        ? createRational(multiplyRange(1n, first.numerator))
        : undefined;
    case 'binom':
      return second !== undefined && isWhole(first) && isWhole(second)
        ? choose(first.numerator, second.numerator)
        : undefined;
    case 'sqrt':
      return rootOf(first, 2n);
    case 'root':
      return second?.denominator === 1n ? rootOf(first, second.numerator) : undefined;
    case 'gcd':
      return known.every(isWhole) ? createRational(known.map(({ numerator }) => numerator).reduce(divisor)) : undefined;
    case 'lcm':
      return known.every(isWhole)
        ? createRational(known.map(({ numerator }) => numerator).reduce((a, b) => (a * b) / (divisor(a, b) || 1n)))
        : undefined;
    case 'max':
      return known.reduce((a, b) => (isLessRational(a, b) ? b : a));
    case 'min':
      return known.reduce((a, b) => (isLessRational(b, a) ? b : a));
    default:
      return undefined;
  }
}

const isWhole = ({ numerator, denominator }: Rational): boolean =>
  denominator === 1n && numerator >= 0n && numerator <= MAX_FACTORIAL ** 4n;

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));

function floor({ numerator, denominator }: Rational): bigint {
  return numerator / denominator - (numerator % denominator < 0n ? 1n : 0n);
}

function multiplyRange(from: bigint, to: bigint): bigint {
  let product = 1n;
  for (let factor = from; factor <= to; factor += 1n) product *= factor;
  return product;
}

function choose(n: bigint, k: bigint): Rational | undefined {
  if (k > n) return createRational(0n);
  if (n > MAX_FACTORIAL) return undefined;
  return createRational(multiplyRange(n - k + 1n, n), multiplyRange(1n, k));
}

/** The root when it is a fraction, as that of 9/4 is. */
function rootOf(value: Rational, degree: bigint): Rational | undefined {
  if (degree < 2n || degree > 100n || value.numerator < 0n) return undefined;
  const [top, bottom] = [wholeRoot(value.numerator, degree), wholeRoot(value.denominator, degree)];
  return top === undefined || bottom === undefined ? undefined : createRational(top, bottom);
}

function wholeRoot(value: bigint, degree: bigint): bigint | undefined {
  if (!isSmall(value)) return undefined;
  let [low, high] = [0n, 1n << (BigInt(value.toString(2).length) / degree + 1n)];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low ** degree === value ? low : undefined;
}
