import { SCORED_DATA_FIELDS } from '@lachesis/protocol/codec';
import type { ScannedGroup } from './scan/scan-group.ts';
import type { ScanScratch } from './scan/scan-scratch.ts';
import type { ScanState } from './scan/scan-state.ts';

const encoder = new TextEncoder();
const NULL = encoder.encode('null');
/** What stands before each value: `{"tokens":`, then `,"masks":` and so on. */
const openings = SCORED_DATA_FIELDS.map(({ key }, index) => encoder.encode(`${index === 0 ? '{' : ','}"${key}":`));
const SKELETON_BYTES = openings.reduce((sum, opening) => sum + opening.length + NULL.length, 1);

/**
 * Puts the scanned fields together as one object with all fourteen keys in wire order, `null` where absent: the text a
 * trainer gets. The result is a view on the scratch.
 */
export function writeCanonical(scan: ScanState, scratch: ScanScratch, fields: ScannedGroup): Uint8Array {
  const needed = fields.reduce((sum, field) => sum + (field ? field.end - field.start : 0), SKELETON_BYTES);
  if (scratch.canonical.length < needed) scratch.canonical = new Uint8Array(Math.ceil(needed * 1.25));
  const { canonical } = scratch;
  let written = 0;
  const write = (bytes: Uint8Array): void => {
    canonical.set(bytes, written);
    written += bytes.length;
  };
  fields.forEach((field, index) => {
    write(openings[index]!);
    write(field ? scan.output.subarray(field.start, field.end) : NULL);
  });
  write(encoder.encode('}'));
  return canonical.subarray(0, written);
}
