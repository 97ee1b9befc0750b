import { LEFT_BRACE, LEFT_BRACKET, QUOTE } from './json-bytes.ts';
import { pushInt } from './number-columns.ts';
import type { IntColumn } from './number-columns.ts';
import { coerceIntText, type CoercedInt } from './coerce-text.ts';
import { copyNumber, hasWord } from './scan-number.ts';
import { addIssue, readWritten, writeText } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';
import { copyString, decodeString } from './scan-string.ts';
import { FALSE_WORD, NULL_WORD, skipValue, TRUE_WORD } from './scan-value.ts';

/** Deeper than any typed field starts; only used to skip values of a wrong type. */
const FIELD_DEPTH = 4;

/**
 * Scans the value at the position as pydantic's lax mode reads an `int`, and writes the integer it becomes.
 * An element that cannot be one leaves an issue, and a zero so that the counts stay right.
 */
export function scanCoercedInt(scan: ScanState, column: IntColumn, index?: number): void {
  const start = scan.written;
  const coerced = readInt(scan, start);
  scan.written = start;
  if ('issue' in coerced) {
    addIssue(scan, coerced.issue, index);
    pushInt(column, 0);
    return;
  }
  writeText(scan, coerced.text);
  pushInt(column, Number(coerced.text));
}

function readInt(scan: ScanState, start: number): CoercedInt {
  const byte = scan.input[scan.position]!;
  if (byte === QUOTE) {
    copyString(scan);
    return coerceIntText(decodeString(scan, start));
  }
  const isTrue = hasWord(scan, TRUE_WORD);
  if (isTrue || byte === LEFT_BRACE || byte === LEFT_BRACKET || hasWord(scan, FALSE_WORD) || hasWord(scan, NULL_WORD)) {
    const isFalse = hasWord(scan, FALSE_WORD);
    skipValue(scan, FIELD_DEPTH);
    if (isTrue) return { text: '1' };
    return isFalse ? { text: '0' } : { issue: 'int_type' };
  }
  const { hasNonFinite } = scan;
  const kind = copyNumber(scan);
  scan.hasNonFinite = hasNonFinite;
  const text = readWritten(scan, start);
  if (kind === 'integer') return { text: text === '-0' ? '0' : text };
  return coerceFloat(Number(text));
}

const TWO_TO_63 = 2 ** 63;

function coerceFloat(value: number): CoercedInt {
  if (!Number.isFinite(value)) return { issue: 'finite_number' };
  if (!Number.isInteger(value)) return { issue: 'int_from_float' };
  if (Math.abs(value) >= TWO_TO_63) return { issue: 'int_parsing_size' };
  return { text: BigInt(value).toString() };
}
