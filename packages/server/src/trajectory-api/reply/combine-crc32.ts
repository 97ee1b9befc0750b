/** CRC-32's polynomial, bits reversed. */
const POLYNOMIAL = 0xedb88320;

/** The polynomial x^0 in the reversed bit order. */
const ONE = 0x8000_0000;

/** a × b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let mask = ONE; mask !== 0 && (a & ((mask << 1) - 1 || -1)) !== 0; mask >>>= 1) {
    if ((a & mask) !== 0) product ^= b;
    b = (b & 1) === 0 ? b >>> 1 : (b >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x^(8 × 2^index): what 2^index zero bytes do to a CRC. */
const zeroBytes = new Uint32Array(32);
zeroBytes[0] = ONE >>> 8;
for (let index = 1; index < zeroBytes.length; index++) {
  zeroBytes[index] = multiply(zeroBytes[index - 1]!, zeroBytes[index - 1]!);
}

/** The CRC of two texts one after the other, from the CRC of each and the length of the second. */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shift = ONE;
  let rest = secondLength;
  for (let index = 0; rest > 0; index++) {
    if (rest % 2 === 1) shift = multiply(zeroBytes[index]!, shift);
    rest = Math.floor(rest / 2);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}
