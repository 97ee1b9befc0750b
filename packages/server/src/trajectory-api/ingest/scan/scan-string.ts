import { BACKSLASH, LOWER_U, QUOTE } from './json-bytes.ts';
import { failSyntax } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';

/** Copies the string at the position as it is written, escapes included. UTF-8 was checked for the whole body at once. */
export function copyString(scan: ScanState): void {
  const { input, output } = scan;
  const start = scan.position;
  let position = start + 1;
  let written = scan.written;
  output[written++] = QUOTE;
  for (;;) {
    const byte = input[position]!;
    output[written++] = byte;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      const escaped = input[position + 1]!;
      if (escaped === LOWER_U) {
        for (let index = 2; index < 6; index++) {
          if (!isHexDigit(input[position + index] ?? 0)) failSyntax(scan, position + 1, 'Invalid \\uXXXX escape');
          output[written + index - 1] = input[position + index]!;
        }
        output[written] = LOWER_U;
        written += 5;
        position += 6;
      } else {
        if (position + 1 >= scan.end) failSyntax(scan, start, 'Unterminated string starting at');
        if (!isSimpleEscape(escaped)) failSyntax(scan, position, 'Invalid \\escape');
        output[written++] = escaped;
        position += 2;
      }
      continue;
    }
    if (byte < 32) {
      if (position >= scan.end) failSyntax(scan, start, 'Unterminated string starting at');
      failSyntax(scan, position, 'Invalid control character at');
    }
    position++;
  }
  scan.position = position + 1;
  scan.written = written;
}

/** The value of a string whose canonical text starts at `start`. */
export function decodeString(scan: ScanState, start: number): string {
  const { buffer, byteOffset } = scan.output;
  return JSON.parse(Buffer.from(buffer, byteOffset + start, scan.written - start).toString('utf8')) as string;
}

const isHexDigit = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 102) || (byte >= 65 && byte <= 70);

const simpleEscapes = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const isSimpleEscape = (byte: number): boolean => simpleEscapes.has(byte);
