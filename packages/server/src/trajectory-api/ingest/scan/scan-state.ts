import { MAX_ISSUES } from '../ingest-limits.ts';
import { createIssue, refuseWithIssues } from '../issues.ts';
import type { BodyIssue, IssueType } from '../issues.ts';
import { NEWLINE, RETURN, SPACE, TAB } from './json-bytes.ts';

/**
 * Where a scan stands. One pass reads `input` and writes its canonical text to `output`.
 *
 * Two things are always true, and they are what lets the loops run without bounds checks of their own:
 * - `input` has eight zero bytes from `end` on. No JSON token contains one, so every loop stops there, and reading two
 *   words at any position stays inside.
 * - `output` has room for twice the input that is left. A fast loop writes at most two bytes per byte read (`1,` becomes
 *   `1.0,`); a slow path that writes more calls `reserveOutput` first.
 */
export interface ScanState {
  input: Uint8Array;
  inputView: DataView;
  position: number;
  end: number;
  output: Uint8Array;
  outputView: DataView;
  written: number;
  /** Location of the value being scanned. */
  path: (string | number)[];
  /** What is wrong with the field being scanned. */
  issues: BodyIssue[];
  /** Whether the field being scanned holds a NaN or an infinity. */
  hasNonFinite: boolean;
}

const OUTPUT_SLACK = 256;

/** How many zero bytes follow the text in `input`. */
export const SENTINEL_BYTES = 8;

/** `input` is the text and its `SENTINEL_BYTES`. */
export function createScanState(input: Uint8Array, output: Uint8Array): ScanState {
  const scan: ScanState = {
    input,
    inputView: viewOf(input),
    position: 0,
    end: input.length - SENTINEL_BYTES,
    output,
    outputView: viewOf(output),
    written: 0,
    path: ['body'],
    issues: [],
    hasNonFinite: false,
  };
  reserveOutput(scan, 0);
  return scan;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Makes room for `bytes` on top of what the rest of the input needs. */
export function reserveOutput(scan: ScanState, bytes: number): void {
  const needed = scan.written + bytes + 2 * (scan.end - scan.position) + OUTPUT_SLACK;
  if (needed <= scan.output.length) return;
  const grown = new Uint8Array(Math.max(needed, Math.ceil(scan.output.length * 1.5)));
  grown.set(scan.output.subarray(0, scan.written));
  scan.output = grown;
  scan.outputView = viewOf(grown);
}

/** Writes ASCII text produced by a slow path. */
export function writeText(scan: ScanState, text: string): void {
  reserveOutput(scan, text.length);
  for (let index = 0; index < text.length; index++) scan.output[scan.written++] = text.charCodeAt(index);
}

/** The canonical text written since `start`; ASCII only. */
export function readWritten(scan: ScanState, start: number): string {
  const { buffer, byteOffset } = scan.output;
  return Buffer.from(buffer, byteOffset + start, scan.written - start).toString('latin1');
}

export function skipSpace(input: Uint8Array, position: number): number {
  let byte = input[position]!;
  while (byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB) byte = input[++position]!;
  return position;
}

export function addIssue(scan: ScanState, type: IssueType, index?: number): void {
  scan.issues.push(createIssue(type, index === undefined ? [...scan.path] : [...scan.path, index]));
  if (scan.issues.length >= MAX_ISSUES) throw refuseWithIssues(scan.issues);
}

/** The error for text that is not JSON. Positions count characters, as Python's do. */
export function failSyntax(scan: ScanState, position: number, error: string): never {
  let characters = 0;
  for (let index = 0; index < position; index++) if ((scan.input[index]! & 0xc0) !== 0x80) characters++;
  const issue = createIssue('json_invalid', ['body', characters]);
  issue.ctx = { error };
  throw refuseWithIssues([issue]);
}
