import { scanCoercedFloat } from './coerce-float.ts';
import { countDigits, DIGIT_BITS, joinDigits, SMALL_POWERS } from './digit-words.ts';
import { COMMA, DOT, LEFT_BRACKET, LOWER_E, MINUS, PLUS, RIGHT_BRACKET, SPACE, UPPER_E, ZERO } from './json-bytes.ts';
import { growFloatColumn } from './number-columns.ts';
import type { FloatColumn } from './number-columns.ts';
import { parseDecimal } from './parse-decimal.ts';
import { failSyntax, skipSpace } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';

/**
 * Scans the list of floats at the position into `column` and returns how many there are. Numbers of up to 18 significant
 * digits are read in place and keep their text; anything else goes to `scanCoercedFloat`. One function with its state in
 * locals, for the same reason as `scanIntList`.
 */
export function scanFloatList(scan: ScanState, column: FloatColumn): number {
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
      let byte = input[position]!;
      const isNegative = byte === MINUS;
      if (isNegative) {
        output[written++] = MINUS;
        byte = input[++position]!;
      }
      let leading = (byte - 48) >>> 0;
      let isSimple = leading < 10;
      output[written++] = byte;
      byte = input[++position]!;
      let digit = (byte - 48) >>> 0;
      if (digit < 10) {
        isSimple = isSimple && leading > 0;
        leading = Math.imul(leading, 10) + digit;
        output[written++] = byte;
        byte = input[++position]!;
      }
      let isFloat = false;
      let trailing = 0;
      let trailingDigits = 0;
      let exponent = 0;

      if (byte === DOT) {
        isFloat = true;
        output[written++] = DOT;
        byte = input[++position]!;
        const fractionStart = position;
        if (leading === 0) {
          while (byte === ZERO) {
            output[written++] = ZERO;
            byte = input[++position]!;
          }
        }
        const mostTrailingDigits = leading < 10 ? 9 : 8;

        let word = inputView.getInt32(position, true);
        outputView.setInt32(written, word, true);
        word ^= DIGIT_BITS;
        let wordDigits = countDigits(word);
        leading = leading * SMALL_POWERS[wordDigits]! + joinDigits(word, wordDigits);
        position += wordDigits;
        written += wordDigits;
        if (wordDigits === 4) {
          word = inputView.getInt32(position, true);
          outputView.setInt32(written, word, true);
          word ^= DIGIT_BITS;
          wordDigits = countDigits(word);
          leading = leading * SMALL_POWERS[wordDigits]! + joinDigits(word, wordDigits);
          position += wordDigits;
          written += wordDigits;
          const trailingStart = position;
          while (wordDigits === 4 && position - trailingStart < 8) {
            word = inputView.getInt32(position, true);
            outputView.setInt32(written, word, true);
            word ^= DIGIT_BITS;
            wordDigits = countDigits(word);
            trailing = Math.imul(trailing, SMALL_POWERS[wordDigits]!) + joinDigits(word, wordDigits);
            position += wordDigits;
            written += wordDigits;
          }
          byte = input[position]!;
          digit = (byte - 48) >>> 0;
          if (digit < 10) {
            trailing = Math.imul(trailing, 10) + digit;
            output[written++] = byte;
            position++;
          }
          trailingDigits = position - trailingStart;
          isSimple = isSimple && trailingDigits <= mostTrailingDigits;
        }
        exponent = fractionStart - position;
        byte = input[position]!;
        isSimple = isSimple && exponent < 0;
      }
      if (isSimple && (byte === LOWER_E || byte === UPPER_E)) {
        isFloat = true;
        output[written++] = byte;
        byte = input[++position]!;
        const isBelowOne = byte === MINUS;
        if (isBelowOne || byte === PLUS) {
          output[written++] = byte;
          byte = input[++position]!;
        }
        const exponentStart = position;
        let shift = 0;
        digit = (byte - 48) >>> 0;
        while (digit < 10) {
          shift = (Math.imul(shift, 10) + digit) | 0;
          output[written++] = byte;
          byte = input[++position]!;
          digit = (byte - 48) >>> 0;
        }
        isSimple = isSimple && position > exponentStart && position - exponentStart <= 3;
        exponent += isBelowOne ? -shift : shift;
      }

      // More digits than fit, or no number at all.
      isSimple = isSimple && (byte === COMMA || byte === RIGHT_BRACKET || byte <= SPACE);

      let value = leading;
      if (isSimple && isFloat) {
        value = parseDecimal(leading, trailing, trailingDigits, exponent);
        isSimple = value === value;
      } else if (isSimple) {
        isSimple = !(isNegative && leading === 0);
        output[written++] = DOT;
        output[written++] = ZERO;
      }

      if (isSimple) {
        if (count === values.length) {
          growFloatColumn(column);
          values = column.values;
        }
        values[count++] = isNegative ? -value : value;
      } else {
        scan.position = numberStart;
        scan.written = textStart;
        column.count = count;
        scanCoercedFloat(scan, column, count - first);
        ({ position, output, outputView, written } = scan);
        ({ values, count } = column);
        byte = input[position]!;
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
