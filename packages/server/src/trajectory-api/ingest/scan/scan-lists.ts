import { LEFT_BRACKET } from './json-bytes.ts';
import { pushLength } from './number-columns.ts';
import type { LengthColumn } from './number-columns.ts';
import { addIssue } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';
import { scanList, skipValue } from './scan-value.ts';

/** Scans the innermost list of numbers at the position and returns its length. */
export type ScanInnerList = (scan: ScanState) => number;

/**
 * Scans a list nested `levels.length` deep around lists of numbers; `levels` receive the lengths, outermost first.
 * Something else where a list should be leaves an issue.
 */
export function scanLists(
  scan: ScanState,
  depth: number,
  levels: readonly LengthColumn[],
  scanInnerList: ScanInnerList,
  checkLength?: (length: number, level: number) => void,
): number {
  if (scan.input[scan.position] !== LEFT_BRACKET) {
    addIssue(scan, 'list_type');
    skipValue(scan, depth);
    return 0;
  }
  const [lengths, ...deeper] = levels;
  if (lengths === undefined) return scanInnerList(scan);
  const base = scan.path.length;
  const count = scanList(scan, depth, (_, elementDepth, index) => {
    scan.path[base] = index;
    const length = scanLists(scan, elementDepth, deeper, scanInnerList);
    checkLength?.(length, index);
    pushLength(lengths, length);
  });
  scan.path.length = base;
  return count;
}
