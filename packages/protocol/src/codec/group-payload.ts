import type { GroupHeader, GroupHeaderInput } from './group-header.ts';

/** The media type with which one packed group is sent. */
export const PACKED_GROUP_CONTENT_TYPE = 'application/vnd.lachesis.group';

/** Integers; a Float64Array holds safe integers only. */
export type IntValues = Uint16Array | Uint32Array | Int32Array | Float64Array;

/** Numbers in the precision in which they were sent. */
export type FloatValues = Float32Array | Float64Array;

/** Rows of differing length, one after another. */
export interface Ragged<V> {
  values: V;
  rowLengths: Uint32Array;
}

/** Rows of items of values, one after another: sequences × positions × top k. */
export interface Nested<V> {
  values: V;
  /** How many values each item has, over all rows. */
  itemLengths: Uint32Array;
  /** How many items each row has. */
  rowLengths: Uint32Array;
}

/** Text that is compressed once and copied into replies as it is. */
export interface WireBlock {
  /** Raw deflate that ends in a full flush, so blocks can be joined. */
  deflated: Uint8Array;
  /** CRC-32 of the inflated text. */
  crc32: number;
  inflatedBytes: number;
}

export type JsonField = 'messages' | 'overrides' | 'group_overrides' | 'generation_params' | 'images';
export type RawNumberField = 'tokens' | 'masks' | 'distill_token_ids';

/** A group of sequences as typed arrays. */
export interface GroupPayload {
  header: GroupHeader;
  tokens: Ragged<IntValues>;
  masks: Ragged<IntValues>;
  /** One per sequence. */
  scores: FloatValues;
  advantages?: Ragged<FloatValues>;
  refLogprobs?: Ragged<FloatValues>;
  inferenceLogprobs?: Ragged<FloatValues>;
  distillTokenIds?: Nested<IntValues>;
  distillLogprobs?: Nested<FloatValues>;
  /** Which policy version sampled which tokens, in quads: sequence, start, end (exclusive), policy version. */
  policyRanges?: Uint32Array;
  /** JSON text in UTF-8, not parsed. */
  json?: Partial<Record<JsonField, Uint8Array>>;
  /** A whole integer field as JSON text when some integer is beyond 2^53; its typed field is then empty. */
  rawNumbers?: Partial<Record<RawNumberField, Uint8Array>>;
  /** The group's canonical Atropos JSON. */
  wire?: WireBlock;
}

/** What `encodeGroup` takes: a payload whose header may leave out what has a default. */
export type EncodableGroup = Omit<GroupPayload, 'header'> & { header: GroupHeaderInput };
