/*
 * Decimal digits to the nearest double, without a string. Sampled logprobs have 16 or 17 digits, which is more than one
 * exact multiplication can take, and making a string of each costs twice as much as the whole scan of their field.
 *
 * The digits arrive as two integers, `digits = leading × 10^trailingDigits + trailing`, each of at most nine digits. Both
 * that sum and a power of ten are held as a pair of doubles (106 bits), multiplied with Dekker's exact product, and the
 * result is accepted only if it rounds to the same double with the error bound added and taken away. Otherwise, about once
 * in 2^40 numbers and at exact halves, the answer is NaN and the caller asks JavaScript to read the text.
 */

const powersOfTen = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Powers with exponents outside this range would bring products near overflow or subnormals. */
const LARGEST_EXPONENT = 60;

const high = new Float64Array(2 * LARGEST_EXPONENT + 1);
const low = new Float64Array(2 * LARGEST_EXPONENT + 1);
const highHead = new Float64Array(2 * LARGEST_EXPONENT + 1);
const highTail = new Float64Array(2 * LARGEST_EXPONENT + 1);

/** Veltkamp's constant: splits a double into two halves of 26 bits whose products are exact. */
const SPLITTER = 2 ** 27 + 1;

/** The pair product is off by less than 2^-102 of its value; eight times that is still far below half a unit of 2^-53. */
const ERROR_BOUND = 2 ** -99;

for (let index = 0; index < high.length; index++) {
  const exponent = index - LARGEST_EXPONENT;
  const nearest = Number(`1e${exponent}`);
  high[index] = nearest;
  low[index] = findRemainder(exponent, nearest);
  const scaled = SPLITTER * nearest;
  highHead[index] = scaled - (scaled - nearest);
  highTail[index] = nearest - highHead[index]!;
}

/** 10^exponent − nearest, to double precision, from exact integers. */
function findRemainder(exponent: number, nearest: number): number {
  const scale = 2n ** 400n;
  const power = exponent >= 0 ? 10n ** BigInt(exponent) * scale : scale / 10n ** BigInt(-exponent);
  // The nearest double is an integer multiple of 2^-252 for every exponent in range, so this product is exact.
  const nearestScaled = BigInt(nearest * 2 ** 260) * 2n ** 140n;
  return Number(power - nearestScaled) * 2 ** -400;
}

/** (leading × 10^trailingDigits + trailing) × 10^exponent as the nearest double, or NaN when this way cannot tell. */
export function parseDecimal(leading: number, trailing: number, trailingDigits: number, exponent: number): number {
  // Exact: 10^9 is 5^9 × 2^9, and nine digits times 5^9 fit in 51 bits.
  const shifted = leading * powersOfTen[trailingDigits]!;
  const sum = shifted + trailing;
  const rest = trailing - (sum - shifted);
  if (rest === 0 && sum <= Number.MAX_SAFE_INTEGER && exponent >= -22 && exponent <= 22) {
    return exponent < 0 ? sum / powersOfTen[-exponent]! : sum * powersOfTen[exponent]!;
  }
  if (exponent < -LARGEST_EXPONENT || exponent > LARGEST_EXPONENT) return sum === 0 ? 0 : Number.NaN;

  const index = exponent + LARGEST_EXPONENT;
  const power = high[index]!;
  const product = sum * power;
  const scaled = SPLITTER * sum;
  const head = scaled - (scaled - sum);
  const tail = sum - head;
  const powerHead = highHead[index]!;
  const powerTail = highTail[index]!;
  const productError = tail * powerTail - (product - head * powerHead - tail * powerHead - head * powerTail);
  const correction = productError + (sum * low[index]! + rest * power);
  const margin = product * ERROR_BOUND;
  const below = product + (correction - margin);
  return below === product + (correction + margin) ? below : Number.NaN;
}
