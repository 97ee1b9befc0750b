import { COLON, LEFT_BRACE, LEFT_BRACKET } from './json-bytes.ts';
import { addIssue } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';
import { decodeString } from './scan-string.ts';
import { copyObject, copyValue, scanList, scanObject, skipValue } from './scan-value.ts';

/** Longer than `"content"` with every letter escaped: a longer key is neither name, and is not decoded. */
const MAX_KEY_BYTES = 2 + 6 * 'content'.length;

/**
 * Scans `messages`: lists of objects that have the keys `role` and `content`, whatever their values. Atropos checks the
 * keys before the types and reports a missing one for the field as a whole, so that issue replaces all others.
 */
export function scanMessages(scan: ScanState, depth: number): void {
  let isMissingKey = false;
  scanListOf(scan, depth, (conversationDepth) => {
    scanListOf(scan, conversationDepth, (messageDepth) => {
      if (scan.input[scan.position] !== LEFT_BRACE) {
        addIssue(scan, 'dict_type');
        skipValue(scan, messageDepth);
        return;
      }
      if (!copyMessage(scan, messageDepth)) isMissingKey = true;
    });
  });
  if (!isMissingKey) return;
  scan.issues.length = 0;
  addIssue(scan, 'value_error');
}

function copyMessage(scan: ScanState, depth: number): boolean {
  let hasRole = false;
  let hasContent = false;
  scanObject(scan, depth, (_, memberDepth, keyStart) => {
    if (scan.written - keyStart <= MAX_KEY_BYTES) {
      const key = decodeString(scan, keyStart);
      if (key === 'role') hasRole = true;
      else if (key === 'content') hasContent = true;
    }
    scan.output[scan.written++] = COLON;
    copyValue(scan, memberDepth);
  });
  return hasRole && hasContent;
}

/** Scans `overrides`: one object per sequence. */
export function scanObjects(scan: ScanState, depth: number): void {
  scanListOf(scan, depth, (elementDepth) => scanAnyObject(scan, elementDepth));
}

/** Scans an object with any members. */
export function scanAnyObject(scan: ScanState, depth: number): void {
  if (scan.input[scan.position] === LEFT_BRACE) {
    copyObject(scan, depth);
    return;
  }
  addIssue(scan, 'dict_type');
  skipValue(scan, depth);
}

function scanListOf(scan: ScanState, depth: number, scanElement: (depth: number) => void): void {
  if (scan.input[scan.position] !== LEFT_BRACKET) {
    addIssue(scan, 'list_type');
    skipValue(scan, depth);
    return;
  }
  const base = scan.path.length;
  scanList(scan, depth, (_, elementDepth, index) => {
    scan.path[base] = index;
    scan.path.length = base + 1;
    scanElement(elementDepth);
  });
  scan.path.length = base;
}
