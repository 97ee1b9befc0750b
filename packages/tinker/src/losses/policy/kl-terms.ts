import type { KlTerm } from './policy-settings.ts';

/** Each estimator with its derivative, of d = log π − log π_ref. */
export const klTerms: Readonly<Record<KlTerm, (distance: number) => { value: number; slope: number }>> = Object.freeze({
  k1: (distance) => ({ value: distance, slope: 1 }),
  k2: (distance) => ({ value: (distance * distance) / 2, slope: distance }),
  k3: (distance) => ({ value: Math.expm1(-distance) + distance, slope: -Math.expm1(-distance) }),
});
