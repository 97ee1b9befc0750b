import type { JsonField, RawNumberField } from './group-payload.ts';

/**
 * Section ids are written into stored files and are never given a second meaning. A reader skips ids it does not
 * know, so a new optional section needs no new format version.
 */
export const SECTION = Object.freeze({
  header: 1,
  tokens: 2,
  tokensRowLengths: 3,
  masks: 4,
  masksRowLengths: 5,
  scores: 6,
  advantages: 7,
  advantagesRowLengths: 8,
  refLogprobs: 9,
  refLogprobsRowLengths: 10,
  inferenceLogprobs: 11,
  inferenceLogprobsRowLengths: 12,
  distillTokenIds: 13,
  distillTokenIdsItemLengths: 14,
  distillTokenIdsRowLengths: 15,
  distillLogprobs: 16,
  distillLogprobsItemLengths: 17,
  distillLogprobsRowLengths: 18,
  policyRanges: 19,
  messages: 20,
  overrides: 21,
  groupOverrides: 22,
  generationParams: 23,
  images: 24,
  rawTokens: 25,
  rawMasks: 26,
  rawDistillTokenIds: 27,
  wireDeflated: 32,
  wireFacts: 33,
} as const);

export type SectionId = (typeof SECTION)[keyof typeof SECTION];

const namesById: ReadonlyMap<number, string> = new Map(Object.entries(SECTION).map(([name, id]) => [id, name]));

/** The name of a section for messages. */
export function nameSection(id: number): string {
  return namesById.get(id) ?? `section ${id}`;
}

export const isKnownSection = (id: number): boolean => namesById.has(id);

export const JSON_SECTIONS: readonly (readonly [JsonField, SectionId])[] = Object.freeze([
  ['messages', SECTION.messages],
  ['overrides', SECTION.overrides],
  ['group_overrides', SECTION.groupOverrides],
  ['generation_params', SECTION.generationParams],
  ['images', SECTION.images],
] as const);

export const RAW_NUMBER_SECTIONS: readonly (readonly [RawNumberField, SectionId])[] = Object.freeze([
  ['tokens', SECTION.rawTokens],
  ['masks', SECTION.rawMasks],
  ['distill_token_ids', SECTION.rawDistillTokenIds],
] as const);
