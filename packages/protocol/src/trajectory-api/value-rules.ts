import type { FloatValues, IntValues } from '../codec/group-payload.ts';

/** What every value of a field must be. */
export interface ValueRule {
  /** Whether all values obey, in one tight loop: nearly every group passes here and nothing is looked at twice. */
  holds(values: IntValues | FloatValues): boolean;
  /** What is wrong with one value, or null. */
  explain(value: number): string | null;
}

export const finiteRule: ValueRule = {
  holds(values) {
    for (let index = 0; index < values.length; index += 1) {
      if (!Number.isFinite(values[index])) return false;
    }
    return true;
  },
  explain: (value) => (Number.isFinite(value) ? null : 'is not finite'),
};

/** Token ids: integers from 0 to below the vocabulary, and never beyond a u32. */
export function createTokenRule(vocabulary = 2 ** 32): ValueRule {
  const limit = Math.min(vocabulary, 2 ** 32);
  return {
    holds(values) {
      for (let index = 0; index < values.length; index += 1) {
        const value = values[index]!;
        // Written so that NaN fails too.
        if (!(value >= 0 && value < limit)) return false;
      }
      return !(values instanceof Float64Array) || values.every(Number.isInteger);
    },
    explain(value) {
      if (!Number.isInteger(value) || value < 0) return 'is not an integer of 0 or more';
      return value < limit ? null : `is not below ${limit}`;
    },
  };
}
