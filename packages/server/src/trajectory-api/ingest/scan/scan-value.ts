import { MAX_DEPTH } from '../ingest-limits.ts';
import { BodyRefusedError } from '../issues.ts';
import { COLON, COMMA, LEFT_BRACE, LEFT_BRACKET, QUOTE, RIGHT_BRACE, RIGHT_BRACKET } from './json-bytes.ts';
import { copyNumber, copyWord, hasWord } from './scan-number.ts';
import { failSyntax, skipSpace } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';
import { copyString } from './scan-string.ts';

const encoder = new TextEncoder();
export const NULL_WORD = encoder.encode('null');
export const TRUE_WORD = encoder.encode('true');
export const FALSE_WORD = encoder.encode('false');

/** Copies any JSON value at the position, without the space between its tokens. `depth` counts what is open around it. */
export function copyValue(scan: ScanState, depth: number): void {
  const byte = scan.input[scan.position]!;
  if (byte === QUOTE) copyString(scan);
  else if (byte === LEFT_BRACE) copyObject(scan, depth);
  else if (byte === LEFT_BRACKET) scanList(scan, depth, copyElement);
  else if (hasWord(scan, NULL_WORD)) copyWord(scan, NULL_WORD);
  else if (hasWord(scan, TRUE_WORD)) copyWord(scan, TRUE_WORD);
  else if (hasWord(scan, FALSE_WORD)) copyWord(scan, FALSE_WORD);
  else copyNumber(scan);
}

/** Reads a value of no interest, checking that it is JSON, and leaves no text. */
export function skipValue(scan: ScanState, depth: number): void {
  const { written, hasNonFinite } = scan;
  copyValue(scan, depth);
  scan.written = written;
  scan.hasNonFinite = hasNonFinite;
}

/** Scans one element at the position; `depth` counts what is open around it. */
export type ScanElement = (scan: ScanState, depth: number, index: number) => void;

const copyElement: ScanElement = (scan, depth) => copyValue(scan, depth);

/** Scans the list at the position, writing brackets and commas, and returns how many elements it has. */
export function scanList(scan: ScanState, depth: number, scanElement: ScanElement): number {
  const { input } = scan;
  enter(depth);
  scan.output[scan.written++] = LEFT_BRACKET;
  scan.position = skipSpace(input, scan.position + 1);
  let count = 0;
  if (input[scan.position] !== RIGHT_BRACKET) {
    for (;;) {
      scanElement(scan, depth + 1, count++);
      scan.position = skipSpace(input, scan.position);
      const byte = input[scan.position]!;
      if (byte === RIGHT_BRACKET) break;
      if (byte !== COMMA) failSyntax(scan, scan.position, "Expecting ',' delimiter");
      scan.output[scan.written++] = COMMA;
      scan.position = skipSpace(input, scan.position + 1);
    }
  }
  scan.output[scan.written++] = RIGHT_BRACKET;
  scan.position++;
  return count;
}

/** Scans one member whose key's text starts at `keyStart` of the output and whose value is at the position. */
export type ScanMember = (scan: ScanState, depth: number, keyStart: number) => void;

const copyMember: ScanMember = (scan, depth) => {
  scan.output[scan.written++] = COLON;
  copyValue(scan, depth);
};

export function copyObject(scan: ScanState, depth: number): void {
  scanObject(scan, depth, copyMember);
}

/** Scans the object at the position, writing braces, keys and commas; the member writes its colon and value. */
export function scanObject(scan: ScanState, depth: number, scanMember: ScanMember): void {
  const { input } = scan;
  enter(depth);
  scan.output[scan.written++] = LEFT_BRACE;
  scan.position = skipSpace(input, scan.position + 1);
  if (input[scan.position] !== RIGHT_BRACE) {
    for (;;) {
      if (input[scan.position] !== QUOTE) {
        failSyntax(scan, scan.position, 'Expecting property name enclosed in double quotes');
      }
      const keyStart = scan.written;
      copyString(scan);
      scan.position = skipSpace(input, scan.position);
      if (input[scan.position] !== COLON) failSyntax(scan, scan.position, "Expecting ':' delimiter");
      scan.position = skipSpace(input, scan.position + 1);
      scanMember(scan, depth + 1, keyStart);
      scan.position = skipSpace(input, scan.position);
      const byte = input[scan.position]!;
      if (byte === RIGHT_BRACE) break;
      if (byte !== COMMA) failSyntax(scan, scan.position, "Expecting ',' delimiter");
      scan.output[scan.written++] = COMMA;
      scan.position = skipSpace(input, scan.position + 1);
    }
  }
  scan.output[scan.written++] = RIGHT_BRACE;
  scan.position++;
}

function enter(depth: number): void {
  if (depth < MAX_DEPTH) return;
  throw new BodyRefusedError({ kind: 'refused', status: 422, text: `JSON nests deeper than ${MAX_DEPTH} levels` });
}
