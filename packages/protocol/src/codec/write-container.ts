import {
  alignToEight,
  ENTRY_BYTES,
  FORMAT_VERSION,
  MAGIC,
  MAX_CONTAINER_BYTES,
  PREAMBLE_BYTES,
  requireLittleEndian,
} from './container.ts';
import { countBytes, viewValues } from './dtypes.ts';
import type { Dtype, StoredValues } from './dtypes.ts';
import { PackedGroupError } from './packed-group-error.ts';
import type { SectionId } from './sections.ts';

/** One section that will be written. `values` may be wider than `dtype`; writing narrows them. */
export interface PlannedSection {
  id: SectionId;
  dtype: Dtype;
  /** Elements, which differs from `values.length` for bits only. */
  count: number;
  values: StoredValues;
}

/** Writes planned sections into one exactly sized buffer. */
export function writeContainer(sections: readonly PlannedSection[]): Uint8Array<ArrayBuffer> {
  requireLittleEndian();
  let size = PREAMBLE_BYTES + ENTRY_BYTES * sections.length;
  for (const { dtype, count } of sections) {
    size = alignToEight(size) + countBytes(dtype, count);
  }
  if (size > MAX_CONTAINER_BYTES) {
    throw new PackedGroupError({ section: 'container', reason: `would take ${size} bytes, more than 4 GiB` });
  }

  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint8(4, FORMAT_VERSION);
  view.setUint16(6, sections.length, true);
  view.setUint32(8, size, true);

  let entry = PREAMBLE_BYTES;
  let end = PREAMBLE_BYTES + ENTRY_BYTES * sections.length;
  for (const { id, dtype, count, values } of sections) {
    const offset = alignToEight(end);
    const byteLength = countBytes(dtype, count);
    view.setUint16(entry, id, true);
    view.setUint8(entry + 2, dtype);
    view.setUint32(entry + 4, count, true);
    view.setUint32(entry + 8, offset, true);
    view.setUint32(entry + 12, byteLength, true);
    viewValues(dtype, bytes.buffer, offset, byteLength).set(values);
    entry += ENTRY_BYTES;
    end = offset + byteLength;
  }
  return bytes;
}
