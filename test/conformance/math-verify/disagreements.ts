import type { MathPair } from '../../peers/math-verify/run-math-verify.ts';

/** Pairs on which we differ from math_verify, and keep differing. `ours` is what we say. */
export interface Disagreement {
  readonly reason: string;
  readonly ours: boolean;
  readonly covers: (pair: MathPair) => boolean;
}

const isOneOf =
  (...pairs: readonly (readonly [string, string])[]) =>
  ({ expected, reply }: MathPair): boolean =>
    pairs.some(([left, right]) => left === expected && right === reply);

const SCALED = /^\$2x(?:>|<|\\ge|\\le) ?-?\d+\$$/;

/** A disagreement that no row covers fails the show, and so does a row that covers none. */
export const disagreements: readonly Disagreement[] = [
  {
    reason: 'an inequality multiplied by two is the same inequality; sympy.solve does not bring the two to one form',
    ours: true,
    covers: ({ expected, reply }) => /^\$x(?:>|<|\\ge|\\le)/.test(expected) && SCALED.test(reply),
  },
  {
    reason:
      'a double inequality read from the other end says the same; the library compares its halves in written order',
    ours: true,
    covers: isOneOf(['$1<x<2$', '$2>x>1$']),
  },
  {
    reason: 'a semicolon parts the ends of an interval where the comma is the decimal sign; the library reads a pair',
    ours: true,
    covers: isOneOf(['$[-3,3]$', '$\\left[-3;3\\right]$']),
  },
  {
    reason: 'π(5)² is π times 25; the library takes π for a function of 5',
    ours: true,
    covers: isOneOf(['$25\\pi$', '$\\pi(5)^2$']),
  },
  {
    reason: 'a line over decimals repeats them; the library drops them, so that 0.666… becomes 0',
    ours: true,
    covers: isOneOf(['$\\frac{2}{3}$', '$0.\\overline{6}$']),
  },
  {
    reason: 'an upright e is the number e; the library reads a symbol of that name',
    ours: true,
    covers: isOneOf(['$e^2$', '$\\mathrm{e}^2$']),
  },
  {
    reason: '\\varnothing is the empty set; the library reads a symbol of that name',
    ours: true,
    covers: isOneOf(['$\\emptyset$', '$\\varnothing$']),
  },
  {
    reason: 'i is the imaginary unit; the library reads a symbol, which is real or complex by how the spaces fall',
    ours: true,
    covers: isOneOf(['$3+4i$', '$3 + 4 i$'], ['$-i$', '$\\frac{1}{i}$']),
  },
];
