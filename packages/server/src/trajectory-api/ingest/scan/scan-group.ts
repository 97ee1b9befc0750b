import { SCORED_DATA_FIELDS } from '@lachesis/protocol/codec';
import type { ScoredDataKey } from '@lachesis/protocol/codec';
import { scanCoercedInt } from './coerce-int.ts';
import type { IngestLimits } from '../ingest-limits.ts';
import { MAX_ISSUES } from '../ingest-limits.ts';
import { createIssue, refuseTooLarge } from '../issues.ts';
import type { BodyIssue } from '../issues.ts';
import { LEFT_BRACE } from './json-bytes.ts';
import { scanFloatList } from './scan-float-list.ts';
import { scanIntList } from './scan-int-list.ts';
import { scanLists } from './scan-lists.ts';
import { scanAnyObject, scanMessages, scanObjects } from './scan-messages.ts';
import { hasWord } from './scan-number.ts';
import { resetField } from './scan-scratch.ts';
import type { ScanScratch } from './scan-scratch.ts';
import type { ScanState } from './scan-state.ts';
import { decodeString } from './scan-string.ts';
import { copyValue, NULL_WORD, scanObject, skipValue } from './scan-value.ts';

/** Where a field's text stands in the scan's output; `null` and absent fields have none. */
export interface ScannedField {
  start: number;
  end: number;
  hasNonFinite: boolean;
}

/** A valid group, by field number in wire order. Its numbers are in the scratch until the next scan. */
export type ScannedGroup = (ScannedField | null)[];

const fieldNumbers: ReadonlyMap<string, number> = new Map(SCORED_DATA_FIELDS.map(({ key }, index) => [key, index]));

/** Longer than the longest key with every letter escaped: such a key is unknown, and is not decoded. */
const MAX_KEY_BYTES = 2 + 6 * Math.max(...SCORED_DATA_FIELDS.map(({ key }) => key.length));

export interface ScanGroupOptions {
  scan: ScanState;
  scratch: ScanScratch;
  limits: IngestLimits;
  /** How many lists and objects are open around the group. */
  depth: number;
}

/** Scans the ScoredData object at the position, or returns what is wrong with it. */
export function scanGroup({ scan, scratch, limits, depth }: ScanGroupOptions): ScannedGroup | { issues: BodyIssue[] } {
  if (scan.input[scan.position] !== LEFT_BRACE) {
    skipValue(scan, depth);
    return { issues: [createIssue('model_attributes_type', [...scan.path])] };
  }
  const base = scan.path.length;
  const fields: ScannedGroup = SCORED_DATA_FIELDS.map(() => null);
  const issues: (BodyIssue[] | undefined)[] = SCORED_DATA_FIELDS.map(({ key, required }) =>
    required ? [createIssue('missing', [...scan.path, key])] : undefined,
  );
  const scanned = scan.written;
  scanObject(scan, depth, (_, memberDepth, keyStart) => {
    const number = readFieldNumber(scan, keyStart);
    if (number === undefined) {
      skipValue(scan, memberDepth);
      return;
    }
    resetField(scratch, number);
    scan.path[base] = SCORED_DATA_FIELDS[number]!.key;
    scan.issues = [];
    scan.hasNonFinite = false;
    const start = scan.written;
    const isNull = !SCORED_DATA_FIELDS[number]!.required && hasWord(scan, NULL_WORD);
    if (isNull) skipValue(scan, memberDepth);
    else scanField({ scan, scratch, limits, depth: memberDepth }, number);
    fields[number] = isNull ? null : { start, end: scan.written, hasNonFinite: scan.hasNonFinite };
    issues[number] = scan.issues;
    scan.path.length = base;
  });
  const found = issues.flatMap((list) => list ?? []);
  if (found.length === 0) return fields;
  scan.written = scanned;
  return { issues: found.slice(0, MAX_ISSUES) };
}

function readFieldNumber(scan: ScanState, keyStart: number): number | undefined {
  if (scan.written - keyStart > MAX_KEY_BYTES) return undefined;
  return fieldNumbers.get(decodeString(scan, keyStart));
}

function scanField({ scan, scratch, limits, depth }: ScanGroupOptions, number: number): void {
  const field = SCORED_DATA_FIELDS[number]!;
  if (field.kind === 'json') {
    scanJsonField(scan, field.key, depth);
    return;
  }
  const ints = scratch.ints[number]!;
  const floats = scratch.floats[number]!;
  if (field.depth === 0) {
    scanCoercedInt(scan, ints);
    return;
  }
  const levels = scratch.lengths.slice(2 * number, 2 * number + field.depth - 1);
  const scanInnerList =
    field.kind === 'int' ? (at: ScanState) => scanIntList(at, ints) : (at: ScanState) => scanFloatList(at, floats);
  scanLists(scan, depth, levels, scanInnerList, field.key === 'tokens' ? limitTokens(limits) : undefined);
}

function limitTokens({ sequences, tokensPerSequence }: IngestLimits): (length: number, index: number) => void {
  return (length, index) => {
    if (index >= sequences) throw refuseTooLarge(`A group may hold ${sequences} sequences`);
    if (length > tokensPerSequence) throw refuseTooLarge(`A sequence may hold ${tokensPerSequence} tokens`);
  };
}

function scanJsonField(scan: ScanState, key: ScoredDataKey, depth: number): void {
  if (key === 'messages') scanMessages(scan, depth);
  else if (key === 'overrides') scanObjects(scan, depth);
  else if (key === 'images') copyValue(scan, depth);
  else scanAnyObject(scan, depth);
}
