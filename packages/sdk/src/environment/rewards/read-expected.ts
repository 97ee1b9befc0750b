import { type Failed, failed } from '../outcome.ts';

/** The expected answer as text. An item without one is a fault of the data, so nothing is scored against it. */
export function readExpected(expected: unknown, reward: string): string | Failed {
  if (typeof expected === 'string' && expected.trim() !== '') return expected;
  if (typeof expected === 'number' || typeof expected === 'bigint') return String(expected);
  return failed(
    'verifier',
    `the ${reward} reward has nothing to compare with: expected is ${describe(expected)}; give each item its answer`,
  );
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return value === '' || typeof value === 'string' ? 'an empty text' : `a value of type ${typeof value}`;
}
