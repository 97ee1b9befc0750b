import type { RelationOperator, SetOperator } from './math-node.ts';

/** Marks and commands that compare. Membership says what a value is, as `=` does. */
export const RELATIONS: ReadonlyMap<string, RelationOperator | 'about'> = new Map([
  ['=', '='],
  ['in', '='],
  ['approx', 'about'],
  ['equiv', '='],
  ['<', '<'],
  ['lt', '<'],
  ['>', '>'],
  ['gt', '>'],
  ['<=', '<='],
  ['≤', '<='],
  ['le', '<='],
  ['leq', '<='],
  ['leqslant', '<='],
  ['>=', '>='],
  ['≥', '>='],
  ['ge', '>='],
  ['geq', '>='],
  ['geqslant', '>='],
  ['!=', '!='],
  ['≠', '!='],
  ['ne', '!='],
  ['neq', '!='],
]);

export const SET_OPERATORS: ReadonlyMap<string, SetOperator> = new Map([
  ['cup', 'union'],
  ['cap', 'intersection'],
  ['setminus', 'difference'],
  ['backslash', 'difference'],
]);

export const CONSTANTS: ReadonlyMap<string, 'pi' | 'infinity'> = new Map([
  ['pi', 'pi'],
  ['infty', 'infinity'],
]);

export const GREEK: ReadonlySet<string> = new Set(
  (
    'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau ' +
    'upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell'
  ).split(' '),
);

export const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh ln log lg exp max min gcd lcm det ' +
    'arcsinh arccosh arctanh'
  ).split(' '),
);

export const MATRICES: ReadonlySet<string> = new Set(['matrix', 'pmatrix', 'bmatrix', 'vmatrix', 'Bmatrix', 'array']);
