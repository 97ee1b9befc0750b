/** 1 / (1 + e^-x), without overflow at either end. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/** log(sigmoid(x)): exact to rounding where `Math.log(sigmoid(x))` has become -Infinity or 0. */
export const logSigmoid = (x: number): number => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
