/** A complex number in double precision. Roots and logarithms of negative numbers then need no special case. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** A minus zero would put a real negative number on the lower side of its branch cut, where its logarithm is another. */
export const createComplex = (re: number, im = 0): Complex => ({ re, im: im + 0 });

export const isFiniteComplex = ({ re, im }: Complex): boolean => Number.isFinite(re) && Number.isFinite(im);

export const absolute = ({ re, im }: Complex): number => Math.hypot(re, im);

export const add = (a: Complex, b: Complex): Complex => createComplex(a.re + b.re, a.im + b.im);

export const negate = (a: Complex): Complex => createComplex(-a.re, -a.im);

export const multiply = (a: Complex, b: Complex): Complex =>
  createComplex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);

export function divide(a: Complex, b: Complex): Complex {
  const scale = b.re * b.re + b.im * b.im;
  return createComplex((a.re * b.re + a.im * b.im) / scale, (a.im * b.re - a.re * b.im) / scale);
}

export function exponential(a: Complex): Complex {
  const size = Math.exp(a.re);
  return a.im === 0 ? createComplex(size) : createComplex(size * Math.cos(a.im), size * Math.sin(a.im));
}

export const logarithm = (a: Complex): Complex => createComplex(Math.log(absolute(a)), Math.atan2(a.im, a.re));

export function raise(base: Complex, exponent: Complex): Complex {
  if (base.re === 0 && base.im === 0) {
    if (exponent.im !== 0 || exponent.re < 0) return createComplex(NaN);
    return createComplex(exponent.re === 0 ? 1 : 0);
  }
  if (exponent.im === 0 && base.im === 0 && (base.re > 0 || Number.isInteger(exponent.re)))
    return createComplex(base.re ** exponent.re);
  return exponential(multiply(exponent, logarithm(base)));
}

export const squareRoot = (a: Complex): Complex =>
  a.im === 0 && a.re >= 0 ? createComplex(Math.sqrt(a.re)) : raise(a, createComplex(0.5));

export function sine(a: Complex): Complex {
  return createComplex(Math.sin(a.re) * Math.cosh(a.im), Math.cos(a.re) * Math.sinh(a.im));
}

export function cosine(a: Complex): Complex {
  return createComplex(Math.cos(a.re) * Math.cosh(a.im), -Math.sin(a.re) * Math.sinh(a.im));
}
