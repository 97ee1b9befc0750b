import { DTYPE } from './dtypes.ts';
import type { GroupHeaderInput } from './group-header.ts';
import type { EncodableGroup, FloatValues, IntValues, Ragged } from './group-payload.ts';
import { MAX_HEADER_BYTES } from './header-fields.ts';
import { packMaskBits } from './mask-bits.ts';
import { narrowFloats, narrowIntegers, narrowLengths } from './narrow.ts';
import { faultIn } from './packed-group-error.ts';
import { parseGroupHeader } from './parse-group-header.ts';
import { areEqualLengths, requireNestedSums, requireSum } from './row-lengths.ts';
import { JSON_SECTIONS, RAW_NUMBER_SECTIONS, SECTION } from './sections.ts';
import type { SectionId } from './sections.ts';
import { writeContainer } from './write-container.ts';
import type { PlannedSection } from './write-container.ts';

/**
 * Packs a group into one container. Each section is narrowed to the smallest dtype that gives back exactly the same
 * values; row lengths equal to those of the tokens, and item lengths equal to those of the distilled ids, are stored once.
 */
export function encodeGroup(group: EncodableGroup): Uint8Array<ArrayBuffer> {
  const plan: PlannedSection[] = [planHeader(group.header)];
  planTokens(plan, group.tokens);
  planMasks(plan, group.masks, group.tokens);
  plan.push(planFloats(SECTION.scores, group.scores));

  const tokenRows = group.tokens.rowLengths;
  if (group.advantages) planRagged(plan, SECTION.advantages, group.advantages, tokenRows);
  if (group.refLogprobs) planRagged(plan, SECTION.refLogprobs, group.refLogprobs, tokenRows);
  if (group.inferenceLogprobs) planRagged(plan, SECTION.inferenceLogprobs, group.inferenceLogprobs, tokenRows);
  planDistillation(plan, group);

  if (group.policyRanges) {
    if (group.policyRanges.length % 4 !== 0) throw faultIn(SECTION.policyRanges, 'is not a list of quads');
    plan.push({
      id: SECTION.policyRanges,
      dtype: DTYPE.u32,
      count: group.policyRanges.length,
      values: group.policyRanges,
    });
  }
  for (const [field, id] of JSON_SECTIONS) planBytes(plan, id, group.json?.[field]);
  for (const [field, id] of RAW_NUMBER_SECTIONS) planBytes(plan, id, group.rawNumbers?.[field]);
  if (group.wire) {
    const { deflated, crc32, inflatedBytes } = group.wire;
    if (!isU32(crc32) || !isU32(inflatedBytes)) throw faultIn(SECTION.wireFacts, 'holds a number that is not a u32');
    planBytes(plan, SECTION.wireDeflated, deflated);
    plan.push({ id: SECTION.wireFacts, dtype: DTYPE.u32, count: 2, values: Uint32Array.of(crc32, inflatedBytes) });
  }
  return writeContainer(plan);
}

function planHeader(header: GroupHeaderInput): PlannedSection {
  const parsed = parseGroupHeader(header);
  if (parsed === null) throw faultIn(SECTION.header, 'does not match its schema');
  const values = new TextEncoder().encode(JSON.stringify(parsed));
  if (values.length > MAX_HEADER_BYTES) throw faultIn(SECTION.header, `is longer than ${MAX_HEADER_BYTES} bytes`);
  return { id: SECTION.header, dtype: DTYPE.u8, count: values.length, values };
}

function planTokens(plan: PlannedSection[], { values, rowLengths }: Ragged<IntValues>): void {
  requireSum(SECTION.tokens, values.length, rowLengths);
  plan.push(planIntegers(SECTION.tokens, values), planLengths(SECTION.tokensRowLengths, rowLengths));
}

function planMasks(plan: PlannedSection[], masks: Ragged<IntValues>, tokens: Ragged<IntValues>): void {
  requireSum(SECTION.masks, masks.values.length, masks.rowLengths);
  if (!areEqualLengths(masks.rowLengths, tokens.rowLengths)) {
    plan.push(planIntegers(SECTION.masks, masks.values), planLengths(SECTION.masksRowLengths, masks.rowLengths));
    return;
  }
  const bits = packMaskBits(masks.values, tokens.values);
  plan.push(
    bits === null
      ? planIntegers(SECTION.masks, masks.values)
      : { id: SECTION.masks, dtype: DTYPE.bits, count: masks.values.length, values: bits },
  );
}

type RaggedId = typeof SECTION.advantages | typeof SECTION.refLogprobs | typeof SECTION.inferenceLogprobs;

function planRagged(plan: PlannedSection[], id: RaggedId, field: Ragged<FloatValues>, tokenRows: Uint32Array): void {
  requireSum(id, field.values.length, field.rowLengths);
  plan.push(planFloats(id, field.values));
  if (!areEqualLengths(field.rowLengths, tokenRows)) plan.push(planLengths((id + 1) as SectionId, field.rowLengths));
}

function planDistillation(plan: PlannedSection[], group: EncodableGroup): void {
  const { distillTokenIds: ids, distillLogprobs: logprobs } = group;
  const tokenRows = group.tokens.rowLengths;
  if (ids) {
    requireNestedSums(SECTION.distillTokenIds, ids);
    plan.push(planIntegers(SECTION.distillTokenIds, ids.values));
    plan.push(planLengths(SECTION.distillTokenIdsItemLengths, ids.itemLengths));
    if (!areEqualLengths(ids.rowLengths, tokenRows)) {
      plan.push(planLengths(SECTION.distillTokenIdsRowLengths, ids.rowLengths));
    }
  }
  if (logprobs) {
    requireNestedSums(SECTION.distillLogprobs, logprobs);
    plan.push(planFloats(SECTION.distillLogprobs, logprobs.values));
    if (!ids || !areEqualLengths(logprobs.itemLengths, ids.itemLengths)) {
      plan.push(planLengths(SECTION.distillLogprobsItemLengths, logprobs.itemLengths));
    }
    if (!areEqualLengths(logprobs.rowLengths, tokenRows)) {
      plan.push(planLengths(SECTION.distillLogprobsRowLengths, logprobs.rowLengths));
    }
  }
}

function planIntegers(id: SectionId, values: IntValues): PlannedSection {
  const dtype = narrowIntegers(values);
  if (dtype === null) throw faultIn(id, 'holds a value that is not a safe integer');
  return { id, dtype, count: values.length, values };
}

function planFloats(id: SectionId, values: FloatValues): PlannedSection {
  return { id, dtype: narrowFloats(values), count: values.length, values };
}

function planLengths(id: SectionId, values: Uint32Array): PlannedSection {
  return { id, dtype: narrowLengths(values), count: values.length, values };
}

function planBytes(plan: PlannedSection[], id: SectionId, values: Uint8Array | undefined): void {
  if (values !== undefined) plan.push({ id, dtype: DTYPE.u8, count: values.length, values });
}

const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
