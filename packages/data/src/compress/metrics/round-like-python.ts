import { PythonFloat } from '@lachesis/sdk/render';

/** `round(value, digits)` of a Python float: a tie goes to the even neighbour. It prints with its point. */
export function roundLikePython(value: number, digits: number): PythonFloat {
  const scaled = value * 10 ** digits;
  // A tie is exact only where the value has a short binary form; then the product is exact too.
  const isTie = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  if (!isTie) return new PythonFloat(Number(value.toFixed(digits)));
  const lower = Math.floor(scaled);
  return new PythonFloat((lower % 2 === 0 ? lower : lower + 1) / 10 ** digits);
}
