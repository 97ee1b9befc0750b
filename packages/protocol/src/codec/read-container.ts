import {
  alignToEight,
  ENTRY_BYTES,
  FORMAT_VERSION,
  MAGIC,
  MAX_SECTIONS,
  PREAMBLE_BYTES,
  requireLittleEndian,
} from './container.ts';
import { countBytes, isDtype, viewValues } from './dtypes.ts';
import type { Dtype, StoredValues } from './dtypes.ts';
import { PackedGroupError } from './packed-group-error.ts';
import { isKnownSection, nameSection } from './sections.ts';
import type { SectionId } from './sections.ts';

/** One known section whose place and size have been checked. */
export interface StoredSection {
  dtype: Dtype;
  count: number;
  /** A view on the container's bytes. */
  values: StoredValues;
}

export type StoredSections = ReadonlyMap<SectionId, StoredSection>;

/**
 * Checks the whole layout and returns views on the known sections. Nothing is allocated by a count the input claims:
 * every section must lie inside the bytes that are really there, behind the one before it.
 */
export function readContainer(input: Uint8Array): StoredSections {
  requireLittleEndian();
  const sectionCount = readPreamble(input);
  // Typed views need an aligned start; a slice of a network buffer rarely has one and is moved once, as a whole.
  const bytes = input.byteOffset % 8 === 0 ? input : new Uint8Array(input);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sections = new Map<SectionId, StoredSection>();
  const seen = new Set<number>();

  let end = PREAMBLE_BYTES + ENTRY_BYTES * sectionCount;
  for (let index = 0; index < sectionCount; index += 1) {
    const entry = PREAMBLE_BYTES + ENTRY_BYTES * index;
    const id = view.getUint16(entry, true);
    const dtype = view.getUint8(entry + 2);
    const count = view.getUint32(entry + 4, true);
    const offset = view.getUint32(entry + 8, true);
    const byteLength = view.getUint32(entry + 12, true);

    if (seen.has(id)) throw fault(id, 'appears twice');
    seen.add(id);
    if (view.getUint8(entry + 3) !== 0) throw fault(id, 'has a reserved byte set');
    if (offset !== alignToEight(end)) throw fault(id, 'does not start at the next multiple of eight');
    if (offset + byteLength > bytes.byteLength) throw fault(id, 'reaches beyond the end of the input');
    if (!isZero(bytes, end, offset)) throw fault(id, 'is preceded by bytes that are not zero');
    end = offset + byteLength;

    if (!isKnownSection(id)) continue;
    if (!isDtype(dtype)) throw fault(id, `has the unknown dtype ${dtype}`);
    if (countBytes(dtype, count) !== byteLength)
      throw fault(id, `cannot hold ${count} elements in ${byteLength} bytes`);
    const values = viewValues(dtype, bytes.buffer, bytes.byteOffset + offset, byteLength);
    sections.set(id as SectionId, { dtype, count, values });
  }
  if (end !== bytes.byteLength) {
    throw new PackedGroupError({ section: 'container', reason: 'has bytes after its last section' });
  }
  return sections;
}

/** Checks the first sixteen bytes and returns the number of sections. */
function readPreamble(bytes: Uint8Array): number {
  const refuse = (reason: string) => new PackedGroupError({ section: 'container', reason });
  if (bytes.byteLength < PREAMBLE_BYTES) throw refuse(`has ${bytes.byteLength} bytes, fewer than its preamble`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw refuse('does not start with LGRP');
  const version = view.getUint8(4);
  if (version !== FORMAT_VERSION) throw refuse(`has format version ${version}; this reader knows ${FORMAT_VERSION}`);
  if (view.getUint8(5) !== 0 || view.getUint32(12, true) !== 0) throw refuse('has reserved bytes set');
  const claimed = view.getUint32(8, true);
  if (claimed !== bytes.byteLength) throw refuse(`says it has ${claimed} bytes but ${bytes.byteLength} are there`);
  const sectionCount = view.getUint16(6, true);
  if (sectionCount > MAX_SECTIONS) throw refuse(`has ${sectionCount} sections, more than ${MAX_SECTIONS}`);
  if (PREAMBLE_BYTES + ENTRY_BYTES * sectionCount > bytes.byteLength) throw refuse('is shorter than its section table');
  return sectionCount;
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    if (bytes[index] !== 0) return false;
  }
  return true;
}

const fault = (id: number, reason: string) => new PackedGroupError({ section: nameSection(id), reason });
