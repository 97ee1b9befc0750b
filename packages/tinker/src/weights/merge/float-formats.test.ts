import { expect, test } from 'vitest';
import { readFloats, writeFloats, type FloatType } from './float-formats.ts';

const round = (numbers: readonly number[], type: FloatType): number[] => [
  ...readFloats(writeFloats(Float32Array.from(numbers), type), type),
];

test('every half and every brain float is read and written as it is', () => {
  const bytes = new Uint8Array(new Uint16Array(65_536).map((_, at) => at).buffer);
  for (const type of ['F16', 'BF16'] as const) {
    const numbers = readFloats(bytes, type);
    const again = readFloats(writeFloats(numbers, type), type);
    expect([...again].findIndex((value, at) => !Object.is(value, numbers[at]))).toBe(-1);
  }
});

test('halves are those of the platform', () => {
  const numbers = Float32Array.from({ length: 20_000 }, (_, at) => Math.sin(at * 12.9898) * 10 ** ((at % 17) - 10));
  const expected = [...new Float16Array(numbers)];
  expect(round([...numbers], 'F16')).toEqual(expected);
});

test('what lies between two goes to the nearest, and to the even one of two', () => {
  // Brain floats near 1 are 2⁻⁷ apart.
  expect(round([1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -12], 'BF16')).toEqual([1, 1 + 2 ** -6, 1 + 2 ** -7]);
  expect(round([65_519, 65_520, -1e9, 2 ** -25, 2 ** -25 * 1.01], 'F16')).toEqual([
    65_504,
    Infinity,
    -Infinity,
    0,
    2 ** -24,
  ]);
  expect(round([Number.NaN, Infinity], 'BF16')).toEqual([Number.NaN, Infinity]);
  expect(round([Number.NaN, 3.4e38], 'F16')).toEqual([Number.NaN, Infinity]);
});
