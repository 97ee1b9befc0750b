import { expect, test } from 'vitest';

import { DTYPE } from './dtypes.ts';
import { packMaskBits, unpackMaskBits } from './mask-bits.ts';
import { narrowFloats, narrowIntegers, narrowLengths } from './narrow.ts';

test('integers take the smallest width that holds them all', () => {
  const narrow = (...values: number[]) => narrowIntegers(Float64Array.from(values));
  expect(narrow()).toBe(DTYPE.u16);
  expect(narrow(0, 65_535)).toBe(DTYPE.u16);
  expect(narrow(0, 65_536)).toBe(DTYPE.u32);
  expect(narrow(2 ** 32 - 1)).toBe(DTYPE.u32);
  expect(narrow(-100, 65_536)).toBe(DTYPE.i32);
  expect(narrow(-(2 ** 31), 2 ** 31 - 1)).toBe(DTYPE.i32);
  expect(narrow(-1, 2 ** 31)).toBe(DTYPE.f64);
  expect(narrow(2 ** 32)).toBe(DTYPE.f64);
  expect(narrow(Number.MAX_SAFE_INTEGER)).toBe(DTYPE.f64);
  for (const value of [0.5, Number.NaN, Infinity, 2 ** 53]) expect(narrow(value)).toBeNull();
  expect(narrowIntegers(Uint32Array.of(7))).toBe(DTYPE.u16);
  expect(narrowIntegers(Int32Array.of(-1))).toBe(DTYPE.i32);
});

test('floats are halved only when every value stays the same', () => {
  const narrow = (...values: number[]) => narrowFloats(Float64Array.from(values));
  expect(narrow(0.5, -0, Number.NaN, Infinity, -Infinity)).toBe(DTYPE.f32);
  expect(narrow(0.5, 0.1)).toBe(DTYPE.f64);
  expect(narrow(1e39)).toBe(DTYPE.f64);
  expect(narrow(5e-324)).toBe(DTYPE.f64);
  expect(narrowFloats(Float32Array.of(0.1))).toBe(DTYPE.f32);
});

test('lengths take one, two or four bytes', () => {
  expect([[], [255], [256], [65_536]].map((lengths) => narrowLengths(Uint32Array.from(lengths)))).toEqual([
    DTYPE.u8,
    DTYPE.u8,
    DTYPE.u16,
    DTYPE.u32,
  ]);
});

test('a mask of -100 and own tokens becomes bits and comes back', () => {
  const tokens = Uint32Array.of(1, 200_000, 3, 4, 5, 6, 7, 8, 9);
  const masks = Int32Array.of(-100, 200_000, -100, 4, 5, 6, 7, 8, 9);
  const bits = packMaskBits(masks, tokens);
  expect(bits).toEqual(Uint8Array.of(0b1111_1010, 1));
  expect(unpackMaskBits(bits!, tokens)).toEqual(masks);
});

test('a mask that holds anything else stays as it is', () => {
  expect(packMaskBits(Int32Array.of(1), Uint16Array.of(2))).toBeNull();
  expect(packMaskBits(Int32Array.of(1), Uint16Array.of(1, 2))).toBeNull();
});

test('tokens too wide for an i32 still come back exactly', () => {
  const tokens = Float64Array.of(2 ** 40, -(2 ** 40), 1);
  expect(unpackMaskBits(Uint8Array.of(0b011), tokens)).toEqual(Float64Array.of(2 ** 40, -(2 ** 40), -100));
});

test('bits beyond the last position are refused', () => {
  expect(unpackMaskBits(Uint8Array.of(0b10), Uint16Array.of(1))).toBeNull();
});
