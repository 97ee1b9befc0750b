import { scanCoercedInt } from './coerce-int.ts';
import { countDigits, DIGIT_BITS, joinDigits, SMALL_POWERS } from './digit-words.ts';
import { COMMA, DOT, LEFT_BRACKET, LOWER_E, MINUS, RIGHT_BRACKET, SPACE, UPPER_E } from './json-bytes.ts';
import { growIntColumn } from './number-columns.ts';
import type { IntColumn } from './number-columns.ts';
import { failSyntax, skipSpace } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';

/**
 * Scans the list of integers at the position into `column` and returns how many there are. Integers of up to seven digits
 * are read in place; anything else goes to `scanCoercedInt`. The loop is one function with its state in locals because
 * two thirds of a group's numbers pass through it.
 */
export function scanIntList(scan: ScanState, column: IntColumn): number {
  const first = column.count;
  const { input, inputView } = scan;
  let { position, output, outputView, written } = scan;
  let { values, count } = column;

  output[written++] = LEFT_BRACKET;
  position = skipSpace(input, position + 1);
  if (input[position] !== RIGHT_BRACKET) {
    for (;;) {
      const numberStart = position;
      const textStart = written;
      const isNegative = input[position] === MINUS;
      if (isNegative) {
        output[written++] = MINUS;
        position++;
      }
      const digitsStart = position;
      let word = inputView.getInt32(position, true);
      outputView.setInt32(written, word, true);
      word ^= DIGIT_BITS;
      const leadingDigits = countDigits(word);
      let value = joinDigits(word, leadingDigits);
      let digits = leadingDigits;
      if (leadingDigits === 4) {
        word = inputView.getInt32(position + 4, true);
        outputView.setInt32(written + 4, word, true);
        word ^= DIGIT_BITS;
        const trailingDigits = countDigits(word);
        value = (Math.imul(value, SMALL_POWERS[trailingDigits]!) + joinDigits(word, trailingDigits)) | 0;
        digits += trailingDigits;
      }
      position += digits;
      written += digits;
      let byte = input[position]!;
      if (
        digits === 0 ||
        digits === 8 ||
        byte === DOT ||
        byte === LOWER_E ||
        byte === UPPER_E ||
        (input[digitsStart] === 48 && (digits > 1 || isNegative))
      ) {
        scan.position = numberStart;
        scan.written = textStart;
        column.count = count;
        scanCoercedInt(scan, column, count - first);
        ({ position, output, outputView, written } = scan);
        ({ values, count } = column);
        byte = input[position]!;
      } else {
        if (count === values.length) {
          growIntColumn(column);
          values = column.values;
        }
        values[count++] = isNegative ? -value : value;
      }

      if (byte !== COMMA) {
        position = skipSpace(input, position);
        byte = input[position]!;
        if (byte === RIGHT_BRACKET) break;
        if (byte !== COMMA) failSyntax(scan, position, "Expecting ',' delimiter");
      }
      output[written++] = COMMA;
      byte = input[++position]!;
      if (byte === SPACE) byte = input[++position]!;
      if (byte <= SPACE) position = skipSpace(input, position);
    }
  }
  output[written++] = RIGHT_BRACKET;
  scan.position = position + 1;
  scan.written = written;
  column.count = count;
  return count - first;
}
