/*
 * What a thread needs that packs, unpacks and checks groups and nothing else: no schema library is loaded. The names are
 * also part of the package's main surface.
 */

export { decodeGroup } from './decode-group.ts';
export { encodeGroup } from './encode-group.ts';
export { readWireBlock } from './read-wire-block.ts';
export { PackedGroupError } from './packed-group-error.ts';
export type {
  EncodableGroup,
  FloatValues,
  GroupPayload,
  IntValues,
  Nested,
  Ragged,
  WireBlock,
} from './group-payload.ts';
export { checkGroup } from '../trajectory-api/check-group.ts';
export { encodeFramePrefix } from '../trajectory-api/frames.ts';
export { SCORED_DATA_FIELDS, SCORED_DATA_KEYS } from '../atropos/scored-data.ts';
export type { ScoredDataKey } from '../atropos/scored-data.ts';
export { decodeStepLogprobs, encodeStepLogprobs } from './step-logprobs.ts';
export type { SequenceLogprobs } from './step-logprobs.ts';
export { decodeTurnTokens, encodeTurnTokens, TURN_TOKENS_CONTENT_TYPE } from './turn-tokens.ts';
export type { TurnTokens } from './turn-tokens.ts';
export { readTarHeader, TAR_BLOCK_BYTES, writeTarHeader } from './tar-header.ts';
