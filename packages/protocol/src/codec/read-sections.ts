import { DTYPE } from './dtypes.ts';
import type { Dtype, StoredValues } from './dtypes.ts';
import type { FloatValues, IntValues } from './group-payload.ts';
import { areSafeIntegers } from './narrow.ts';
import { faultIn } from './packed-group-error.ts';
import type { StoredSection, StoredSections } from './read-container.ts';
import type { SectionId } from './sections.ts';

/** A section that must be there. */
export function requireSection(sections: StoredSections, id: SectionId): StoredSection {
  const section = sections.get(id);
  if (section === undefined) throw faultIn(id, 'is missing');
  return section;
}

/** The values of an integer section, viewed in place. */
export function readIntegers(id: SectionId, { dtype, values }: StoredSection): IntValues {
  if (dtype === DTYPE.bits || !isIntValues(values)) throw wrongDtype(id, dtype, 'integers');
  if (values instanceof Float64Array && !areSafeIntegers(values))
    throw faultIn(id, 'holds a value that is not a safe integer');
  return values;
}

/** The values of a float section, viewed in place. */
export function readFloats(id: SectionId, { dtype, values }: StoredSection): FloatValues {
  if (!(values instanceof Float32Array || values instanceof Float64Array)) throw wrongDtype(id, dtype, 'floats');
  return values;
}

/** Lengths as u32; those stored in fewer bytes are copied. */
export function readLengths(id: SectionId, { dtype, values }: StoredSection): Uint32Array {
  if (values instanceof Uint32Array) return values;
  if (dtype === DTYPE.u8 || dtype === DTYPE.u16) return new Uint32Array(values);
  throw wrongDtype(id, dtype, 'lengths');
}

/** A u32 section, viewed in place. */
export function readU32(id: SectionId, { dtype, values }: StoredSection): Uint32Array {
  if (!(values instanceof Uint32Array)) throw wrongDtype(id, dtype, 'u32 values');
  return values;
}

/** A section of plain bytes, viewed in place. */
export function readBytes(id: SectionId, { dtype, values }: StoredSection): Uint8Array {
  if (dtype !== DTYPE.u8 || !(values instanceof Uint8Array)) throw wrongDtype(id, dtype, 'bytes');
  return values;
}

const wrongDtype = (id: SectionId, dtype: Dtype, wanted: string) =>
  faultIn(id, `has dtype ${dtype}, which is not for ${wanted}`);

const isIntValues = (values: StoredValues): values is IntValues =>
  values instanceof Uint16Array ||
  values instanceof Uint32Array ||
  values instanceof Int32Array ||
  values instanceof Float64Array;
