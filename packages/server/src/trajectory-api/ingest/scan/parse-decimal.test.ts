import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFloatColumn } from './number-columns.ts';
import { parseDecimal } from './parse-decimal.ts';
import { scanFloatList } from './scan-float-list.ts';
import { createScanState, SENTINEL_BYTES } from './scan-state.ts';

function scanFloats(texts: readonly string[]): Float64Array {
  const text = new TextEncoder().encode(`[${texts.join(', ')}]`);
  const input = new Uint8Array(text.length + SENTINEL_BYTES);
  input.set(text);
  const column = createFloatColumn();
  scanFloatList(createScanState(input, new Uint8Array(0)), column);
  return column.values.slice(0, column.count);
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.nat(9).map(String), minLength, maxLength });

const floatText = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.nat(99).map(String),
      fc.nat(1e9).map(String),
      fc.bigInt(1n, 10n ** 25n).map(String),
    ),
    fraction: fc.option(
      fc.oneof(
        digits(1, 20),
        digits(1, 5).map((text) => `0000${text}`),
      ),
    ),
    exponent: fc.option(fc.record({ mark: fc.constantFrom('e', 'E', 'e+', 'e-', 'E-'), value: fc.nat(330) })),
  })
  .map(({ sign, whole, fraction, exponent }) => {
    return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `${exponent.mark}${exponent.value}`}`;
  });

test('every float text becomes the double that JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.array(floatText, { minLength: 1, maxLength: 20 }), (texts) => {
      const values = scanFloats(texts);
      texts.forEach((text, index) => {
        const expected = /^-0+$/.test(text) ? 0 : (JSON.parse(text) as number);
        if (!Number.isFinite(expected) && /^-?\d+$/.test(text)) return;
        expect(Object.is(values[index], expected), `${text}: ${values[index]}`).toBe(true);
      });
    }),
    { numRuns: 3000 },
  );
});

test('the shortest text of any double comes back as that double', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (doubles) => {
      const values = scanFloats(doubles.map((value) => (Object.is(value, -0) ? '-0.0' : JSON.stringify(value))));
      doubles.forEach((value, index) => expect(Object.is(values[index], value), String(value)).toBe(true));
    }),
    { numRuns: 2000 },
  );
});

test('digits next to a halfway point are rounded right or left to the caller', () => {
  // Midpoints between neighbouring doubles, and the decimals one unit to each side of them.
  for (const step of fc.sample(fc.nat(2 ** 31 - 1), { numRuns: 2000, seed: 1 })) {
    const double = 2 ** 53 + 2 * step;
    for (const offset of [0n, 1n, 2n]) {
      const text = (BigInt(double) + offset).toString();
      const value = parseDecimal(Number(text.slice(0, 8)), Number(text.slice(8)), text.length - 8, 0);
      if (!Number.isNaN(value)) expect(value).toBe(Number(text));
    }
  }
});

test('sampled logprobs never need the slow path', () => {
  let slow = 0;
  const logprobs = fc.double({ min: 0.001, max: 20, noNaN: true });
  for (const logprob of fc.sample(logprobs, { numRuns: 20_000, seed: 1 })) {
    const [whole = '', fraction = ''] = String(logprob).split('.');
    const text = `${whole}${fraction}`.replace(/^0+/, '');
    const value = parseDecimal(
      Number(text.slice(0, 9)),
      Number(text.slice(9)),
      Math.max(0, text.length - 9),
      -fraction.length,
    );
    if (Number.isNaN(value)) slow++;
    else expect(value).toBe(Number(`${whole}.${fraction}`));
  }
  expect(slow).toBe(0);
});
