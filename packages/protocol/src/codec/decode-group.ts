import { DTYPE } from './dtypes.ts';
import type { GroupHeader } from './group-header.ts';
import type { FloatValues, GroupPayload, IntValues, Nested, Ragged } from './group-payload.ts';
import { MAX_HEADER_BYTES } from './header-fields.ts';
import { unpackMaskBits } from './mask-bits.ts';
import { readContainer } from './read-container.ts';
import type { StoredSections } from './read-container.ts';
import { faultIn } from './packed-group-error.ts';
import { parseGroupHeader } from './parse-group-header.ts';
import { readBytes, readFloats, readIntegers, readLengths, readU32, requireSection } from './read-sections.ts';
import { wireBlockFrom } from './read-wire-block.ts';
import { requireNestedSums, requireSum } from './row-lengths.ts';
import { JSON_SECTIONS, RAW_NUMBER_SECTIONS, SECTION } from './sections.ts';
import type { SectionId } from './sections.ts';

/**
 * Reads a packed group; throws a `PackedGroupError` when it is damaged. Arrays are views on `bytes` where its start is
 * aligned to eight, so keep `bytes` unchanged as long as the payload is in use; only a bit mask and narrow lengths are
 * expanded. Throws `PackedGroupError` on anything malformed and nothing else.
 */
export function decodeGroup(bytes: Uint8Array): GroupPayload {
  const sections = readContainer(bytes);
  const header = readHeader(sections);
  const tokens = readTokens(sections);
  const payload: GroupPayload = {
    header,
    tokens,
    masks: readMasks(sections, tokens),
    scores: readFloats(SECTION.scores, requireSection(sections, SECTION.scores)),
  };

  const advantages = readRagged(sections, SECTION.advantages, tokens.rowLengths);
  if (advantages) payload.advantages = advantages;
  const refLogprobs = readRagged(sections, SECTION.refLogprobs, tokens.rowLengths);
  if (refLogprobs) payload.refLogprobs = refLogprobs;
  const inferenceLogprobs = readRagged(sections, SECTION.inferenceLogprobs, tokens.rowLengths);
  if (inferenceLogprobs) payload.inferenceLogprobs = inferenceLogprobs;
  addDistillation(payload, sections);

  const policyRanges = sections.get(SECTION.policyRanges);
  if (policyRanges) {
    if (policyRanges.count % 4 !== 0) throw faultIn(SECTION.policyRanges, 'is not a list of quads');
    payload.policyRanges = readU32(SECTION.policyRanges, policyRanges);
  }
  const json = readTexts(sections, JSON_SECTIONS);
  if (json) payload.json = json;
  const rawNumbers = readTexts(sections, RAW_NUMBER_SECTIONS);
  if (rawNumbers) payload.rawNumbers = rawNumbers;
  const wire = wireBlockFrom(sections);
  if (wire) payload.wire = wire;
  return payload;
}

function readHeader(sections: StoredSections): GroupHeader {
  const text = readBytes(SECTION.header, requireSection(sections, SECTION.header));
  if (text.length > MAX_HEADER_BYTES) throw faultIn(SECTION.header, `is longer than ${MAX_HEADER_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (cause) {
    throw faultIn(SECTION.header, 'is not JSON text', cause);
  }
  const parsed = parseGroupHeader(value);
  if (parsed === null) throw faultIn(SECTION.header, 'does not match its schema');
  return parsed;
}

function readTokens(sections: StoredSections): Ragged<IntValues> {
  const values = readIntegers(SECTION.tokens, requireSection(sections, SECTION.tokens));
  const rowLengths = readLengths(SECTION.tokensRowLengths, requireSection(sections, SECTION.tokensRowLengths));
  requireSum(SECTION.tokens, values.length, rowLengths);
  return { values, rowLengths };
}

function readMasks(sections: StoredSections, tokens: Ragged<IntValues>): Ragged<IntValues> {
  const section = requireSection(sections, SECTION.masks);
  const rowLengths = readSharedLengths(sections, SECTION.masksRowLengths, tokens.rowLengths);
  requireSum(SECTION.masks, section.count, rowLengths);
  if (section.dtype !== DTYPE.bits) return { values: readIntegers(SECTION.masks, section), rowLengths };
  if (rowLengths !== tokens.rowLengths) throw faultIn(SECTION.masks, 'is a bit mask with row lengths of its own');
  const values = unpackMaskBits(section.values as Uint8Array, tokens.values);
  if (values === null) throw faultIn(SECTION.masks, 'has bits set beyond its last position');
  return { values, rowLengths };
}

type RaggedId = typeof SECTION.advantages | typeof SECTION.refLogprobs | typeof SECTION.inferenceLogprobs;

function readRagged(sections: StoredSections, id: RaggedId, tokenRows: Uint32Array): Ragged<FloatValues> | undefined {
  const section = sections.get(id);
  if (section === undefined) return undefined;
  const values = readFloats(id, section);
  const rowLengths = readSharedLengths(sections, (id + 1) as SectionId, tokenRows);
  requireSum(id, values.length, rowLengths);
  return { values, rowLengths };
}

function addDistillation(payload: GroupPayload, sections: StoredSections): void {
  const tokenRows = payload.tokens.rowLengths;
  const ids = sections.get(SECTION.distillTokenIds);
  if (ids) {
    const itemLengths = requireSection(sections, SECTION.distillTokenIdsItemLengths);
    payload.distillTokenIds = checkNested(SECTION.distillTokenIds, {
      values: readIntegers(SECTION.distillTokenIds, ids),
      itemLengths: readLengths(SECTION.distillTokenIdsItemLengths, itemLengths),
      rowLengths: readSharedLengths(sections, SECTION.distillTokenIdsRowLengths, tokenRows),
    });
  }
  const logprobs = sections.get(SECTION.distillLogprobs);
  if (logprobs) {
    const shared = payload.distillTokenIds?.itemLengths;
    const values = readFloats(SECTION.distillLogprobs, logprobs);
    const rowLengths = readSharedLengths(sections, SECTION.distillLogprobsRowLengths, tokenRows);
    const itemLengths = readSharedLengths(sections, SECTION.distillLogprobsItemLengths, shared);
    payload.distillLogprobs = checkNested(SECTION.distillLogprobs, { values, itemLengths, rowLengths });
  }
}

function checkNested<V extends IntValues | FloatValues>(id: SectionId, nested: Nested<V>): Nested<V> {
  requireNestedSums(id, nested);
  return nested;
}

/** Lengths of a field's own, or those it shares with another field when it stored none. */
function readSharedLengths(sections: StoredSections, id: SectionId, shared: Uint32Array | undefined): Uint32Array {
  const section = sections.get(id);
  if (section) return readLengths(id, section);
  if (shared) return shared;
  throw faultIn(id, 'is missing');
}

function readTexts<F extends string>(
  sections: StoredSections,
  fields: readonly (readonly [F, SectionId])[],
): Partial<Record<F, Uint8Array>> | undefined {
  let texts: Partial<Record<F, Uint8Array>> | undefined;
  for (const [field, id] of fields) {
    const section = sections.get(id);
    if (section === undefined) continue;
    texts ??= {};
    texts[field] = readBytes(id, section);
  }
  return texts;
}
