/** Steps of the continued fraction; it has settled after some twenty. */
const MOST_TERMS = 300;
const SETTLED = 1e-14;
const TINY = 1e-300;

/**
 * How many standard errors 95 % of the means lie within, by Student's t: 12.7 for one degree of freedom, 2.09 for nineteen,
 * 1.96 for very many.
 */
export function studentReach95(degrees: number): number {
  if (!(degrees >= 1)) return Number.NaN;
  let [low, high] = [1.9, 13];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    // Both tails together.
    if (incompleteBeta(degrees / (degrees + middle ** 2), degrees / 2, 0.5) > 0.05) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function, by Lentz's continued fraction. */
function incompleteBeta(x: number, a: number, b: number): number {
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on one side of the mean alone.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const guard = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let term = 1; term <= MOST_TERMS; term += 1) {
    const even = (term * (b - term) * x) / ((a + 2 * term - 1) * (a + 2 * term));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    result *= d * c;
    const odd = (-(a + term) * (a + b + term) * x) / ((a + 2 * term) * (a + 2 * term + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < SETTLED) break;
  }
  return result;
}

/** Lanczos' approximation, with the coefficients of Numerical Recipes. */
function logGamma(x: number): number {
  const coefficients = [
    ...[76.18009172947146, -86.5053203294168, 24.01409824083091, -1.231739572450155],
    ...[0.1208650973866179e-2, -0.5395239384953e-5],
  ];
  const base = x + 5.5;
  const sum = coefficients.reduce((total, each, index) => total + each / (x + 1 + index), 1.000000000190015);
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * sum) / x);
}
