/** An exact fraction in lowest terms with a positive denominator. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An answer such as 9^{9^9} must not take the machine: beyond this many bits a value is left to floating point. */
const MAX_BITS = 20_000;

export const isSmall = (value: bigint): boolean => value.toString(16).length * 4 <= MAX_BITS;

function findDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Undefined when the denominator is zero or the numbers are too large to be worth keeping exact. */
export function createRational(numerator: bigint, denominator = 1n): Rational | undefined {
  if (denominator === 0n || !isSmall(numerator) || !isSmall(denominator)) return undefined;
  const divisor = findDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** Reads `12`, `.5` and `3.140`. */
export function readDecimal(text: string): Rational | undefined {
  const match = /^(?<whole>\d*)(?:\.(?<digits>\d*))?$/.exec(text);
  if (match === null || text === '.' || text.length > MAX_BITS / 4) return undefined;
  const digits = match.groups?.['digits'] ?? '';
  return createRational(BigInt(`${match.groups?.['whole'] ?? ''}${digits}` || '0'), 10n ** BigInt(digits.length));
}

export const addRationals = (a: Rational, b: Rational): Rational | undefined =>
  createRational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);

export const multiplyRationals = (a: Rational, b: Rational): Rational | undefined =>
  createRational(a.numerator * b.numerator, a.denominator * b.denominator);

export const divideRationals = (a: Rational, b: Rational): Rational | undefined =>
  createRational(a.numerator * b.denominator, a.denominator * b.numerator);

export const negateRational = (a: Rational): Rational => ({ ...a, numerator: -a.numerator });

export const isSameRational = (a: Rational, b: Rational): boolean =>
  a.numerator === b.numerator && a.denominator === b.denominator;

export const isLessRational = (a: Rational, b: Rational): boolean =>
  a.numerator * b.denominator < b.numerator * a.denominator;

/** Whole exponents only; roots are irrational as a rule. */
export function raiseRational(base: Rational, exponent: Rational): Rational | undefined {
  if (exponent.denominator !== 1n) return undefined;
  const times = exponent.numerator < 0n ? -exponent.numerator : exponent.numerator;
  const bits = BigInt(Math.max(base.numerator.toString(2).length, base.denominator.toString(2).length));
  if (bits * times > BigInt(MAX_BITS)) return undefined;
  const [top, bottom] = [base.numerator ** times, base.denominator ** times];
  return exponent.numerator < 0n ? createRational(bottom, top) : createRational(top, bottom);
}

/** Scaled before the division, so that numbers with more digits than a double has still give the nearest double. */
export function toDouble({ numerator, denominator }: Rational): number {
  const shift = denominator.toString(2).length - numerator.toString(2).length + 64;
  if (shift <= 0) return Number(numerator) / Number(denominator);
  const scaled = (numerator << BigInt(shift)) / denominator;
  return shift > 1000 ? Number(numerator) / Number(denominator) : Number(scaled) / 2 ** shift;
}

/** The value times 10^digits, rounded half to even. */
export function roundRational({ numerator, denominator }: Rational, digits: number): bigint {
  const scaled = numerator * 10n ** BigInt(digits);
  const floor = scaled / denominator - (scaled % denominator < 0n ? 1n : 0n);
  const twice = (scaled - floor * denominator) * 2n;
  if (twice === denominator) return floor % 2n === 0n ? floor : floor + 1n;
  return twice > denominator ? floor + 1n : floor;
}
