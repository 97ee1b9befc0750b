import { SCORED_DATA_FIELDS } from '@lachesis/protocol/codec';
import type {
  EncodableGroup,
  FloatValues,
  IntValues,
  Nested,
  Ragged,
  ScoredDataKey,
  WireBlock,
} from '@lachesis/protocol/codec';
import type { LengthColumn } from './scan/number-columns.ts';
import type { ScannedGroup } from './scan/scan-group.ts';
import type { ScanScratch } from './scan/scan-scratch.ts';
import type { ScanState } from './scan/scan-state.ts';

const numberOf = Object.fromEntries(SCORED_DATA_FIELDS.map(({ key }, index) => [key, index])) as Record<
  ScoredDataKey,
  number
>;

const jsonKeys = ['messages', 'overrides', 'group_overrides', 'generation_params', 'images'] as const;
const rawKeys = ['tokens', 'masks', 'distill_token_ids'] as const;

/** What the queue needs to know about a group without opening its payload. */
export interface GroupFacts {
  envId: number | null;
  sequenceCount: number;
  tokenCount: number;
  longestSequence: number;
  /** Fields that hold a NaN or an infinity; Atropos takes them and then cannot write them. */
  nonFiniteFields: ScoredDataKey[];
}

export interface BuildOptions {
  scan: ScanState;
  scratch: ScanScratch;
  fields: ScannedGroup;
  wire: WireBlock;
}

export function readFacts({ scratch, fields }: Omit<BuildOptions, 'wire' | 'scan'>): GroupFacts {
  const lengths = readLengths(scratch.lengths[2 * numberOf.tokens]!);
  const nonFiniteFields = SCORED_DATA_FIELDS.flatMap(({ key }, index) => (fields[index]?.hasNonFinite ? [key] : []));
  return {
    envId: readEnvId(scratch, fields),
    sequenceCount: lengths.length,
    tokenCount: lengths.reduce((sum, length) => sum + length, 0),
    longestSequence: lengths.reduce((longest, length) => Math.max(longest, length), 0),
    nonFiniteFields,
  };
}

/**
 * The environment's number. One beyond 2^53 cannot name an environment; it is held at the end of the safe range, where it
 * is as unknown as it was, and the canonical text keeps every digit.
 */
function readEnvId(scratch: ScanScratch, fields: ScannedGroup): number | null {
  if (!fields[numberOf.env_id]) return null;
  const value = scratch.ints[numberOf.env_id]!.values[0]!;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}

/** The typed sections of a scanned group, as views on the scratch. An empty list is an absent field: BaseEnv sends them. */
export function buildPayload({ scan, scratch, fields, wire }: BuildOptions): EncodableGroup {
  const text = (key: ScoredDataKey): Uint8Array | undefined => {
    const field = fields[numberOf[key]];
    if (!field || isEmptyList(scan, field.start, field.end)) return undefined;
    return scan.output.subarray(field.start, field.end);
  };
  const isExact = (key: ScoredDataKey): boolean => !scratch.ints[numberOf[key]]!.isBeyondSafe;

  const group: EncodableGroup = {
    header: { env_id: readEnvId(scratch, fields) },
    tokens: raggedInts(scratch, 'tokens'),
    masks: raggedInts(scratch, 'masks'),
    scores: readFloats(scratch, 'scores'),
    wire,
  };
  if (text('advantages')) group.advantages = raggedFloats(scratch, 'advantages');
  if (text('ref_logprobs')) group.refLogprobs = raggedFloats(scratch, 'ref_logprobs');
  if (text('inference_logprobs')) group.inferenceLogprobs = raggedFloats(scratch, 'inference_logprobs');
  if (text('distill_token_ids') && isExact('distill_token_ids')) {
    group.distillTokenIds = nest(scratch, 'distill_token_ids', readInts(scratch, 'distill_token_ids'));
  }
  if (text('distill_logprobs')) {
    group.distillLogprobs = nest(scratch, 'distill_logprobs', readFloats(scratch, 'distill_logprobs'));
  }
  for (const key of jsonKeys) {
    const value = text(key);
    if (value) (group.json ??= {})[key] = value;
  }
  for (const key of rawKeys) {
    const value = text(key);
    if (value && !isExact(key)) (group.rawNumbers ??= {})[key] = value;
  }
  return group;
}

const isEmptyList = (scan: ScanState, start: number, end: number): boolean =>
  end - start === 2 && scan.output[start] === 0x5b;

const readLengths = ({ values, count }: LengthColumn): Uint32Array => values.subarray(0, count);

function readInts(scratch: ScanScratch, key: ScoredDataKey): IntValues {
  const { values, count } = scratch.ints[numberOf[key]]!;
  return values.subarray(0, count);
}

function readFloats(scratch: ScanScratch, key: ScoredDataKey): FloatValues {
  const { values, count } = scratch.floats[numberOf[key]]!;
  return values.subarray(0, count);
}

function raggedInts(scratch: ScanScratch, key: 'tokens' | 'masks'): Ragged<IntValues> {
  if (scratch.ints[numberOf[key]]!.isBeyondSafe) return { values: new Int32Array(0), rowLengths: new Uint32Array(0) };
  return { values: readInts(scratch, key), rowLengths: readLengths(scratch.lengths[2 * numberOf[key]]!) };
}

function raggedFloats(scratch: ScanScratch, key: ScoredDataKey): Ragged<FloatValues> {
  return { values: readFloats(scratch, key), rowLengths: readLengths(scratch.lengths[2 * numberOf[key]]!) };
}

/** The outer level counts positions per sequence, the inner one candidates per position. */
function nest<V extends IntValues | FloatValues>(scratch: ScanScratch, key: ScoredDataKey, values: V): Nested<V> {
  return {
    values,
    rowLengths: readLengths(scratch.lengths[2 * numberOf[key]]!),
    itemLengths: readLengths(scratch.lengths[2 * numberOf[key] + 1]!),
  };
}
