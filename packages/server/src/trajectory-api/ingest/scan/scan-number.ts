import { MAX_INTEGER_DIGITS } from '../ingest-limits.ts';
import { refuseUnreadable } from '../issues.ts';
import { DOT, LOWER_E, MINUS, NINE, PLUS, UPPER_E, ZERO } from './json-bytes.ts';
import { failSyntax, readWritten } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';

/** What Python's reader would make of a number's text. */
export type NumberKind = 'integer' | 'float';

/** A double overflows beyond 309 digits; shorter text without an exponent is always finite. */
const ALWAYS_FINITE_LENGTH = 300;

/** Copies the number at the position, `NaN` and the infinities included, and says how Python would read it. */
export function copyNumber(scan: ScanState): NumberKind {
  const { input } = scan;
  const start = scan.position;
  const digits = input[start] === MINUS ? start + 1 : start;
  if (!isDigit(input[digits]!)) return copyNonFinite(scan);

  let position = digits + 1;
  if (input[digits] !== ZERO) while (isDigit(input[position]!)) position++;
  const integerEnd = position;
  if (input[position] === DOT && isDigit(input[position + 1] ?? 0)) {
    position += 2;
    while (isDigit(input[position]!)) position++;
  }
  const exponentAt = position;
  if (input[position] === LOWER_E || input[position] === UPPER_E) {
    const sign = input[position + 1];
    const first = sign === PLUS || sign === MINUS ? position + 2 : position + 1;
    if (isDigit(input[first] ?? 0)) {
      position = first + 1;
      while (isDigit(input[position]!)) position++;
    }
  }
  const isFloat = position > integerEnd;
  if (!isFloat && integerEnd - digits > MAX_INTEGER_DIGITS) throw refuseUnreadable();

  const textStart = scan.written;
  for (let index = start; index < position; index++) scan.output[scan.written++] = input[index]!;
  scan.position = position;
  if (isFloat && (position > exponentAt || position - start > ALWAYS_FINITE_LENGTH)) {
    if (!Number.isFinite(Number(readWritten(scan, textStart)))) scan.hasNonFinite = true;
  }
  return isFloat ? 'float' : 'integer';
}

const nonFiniteWords = ['NaN', 'Infinity', '-Infinity'].map((word) => new TextEncoder().encode(word));

function copyNonFinite(scan: ScanState): NumberKind {
  for (const word of nonFiniteWords) {
    if (!hasWord(scan, word)) continue;
    copyWord(scan, word);
    scan.hasNonFinite = true;
    return 'float';
  }
  return failSyntax(scan, scan.position, 'Expecting value');
}

export function hasWord(scan: ScanState, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) {
    if (scan.input[scan.position + index] !== word[index]) return false;
  }
  return true;
}

export function copyWord(scan: ScanState, word: Uint8Array): void {
  scan.output.set(word, scan.written);
  scan.written += word.length;
  scan.position += word.length;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
