import { SCORED_DATA_KEYS } from '@lachesis/protocol/codec';
import type { FloatValues, GroupPayload, IntValues, Nested, Ragged, ScoredDataKey } from '@lachesis/protocol/codec';
import { formatFloat } from '../ingest/scan/format-float.ts';

const marker = Symbol.for('lachesis.trajectory-api.group-not-finite');

/** A NaN or an infinity has no JSON text that every trainer reads. */
export class GroupNotFiniteError extends Error {
  readonly [marker] = true;
  readonly field: ScoredDataKey;

  constructor(field: ScoredDataKey) {
    super(`The group's ${field} hold a number that is not finite, so it cannot be written as JSON. Quarantine it.`);
    this.name = 'GroupNotFiniteError';
    this.field = field;
  }

  static isInstance(error: unknown): error is GroupNotFiniteError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

/**
 * The canonical Atropos JSON of a group that came packed through the native API: all fourteen keys in wire order, `null`
 * where absent, floats always with a fraction or an exponent.
 */
export function renderGroup(group: GroupPayload): Uint8Array {
  const members = SCORED_DATA_KEYS.map((key) => `"${key}":${renderField(group, key)}`);
  return new TextEncoder().encode(`{${members.join(',')}}`);
}

function renderField(group: GroupPayload, key: ScoredDataKey): string {
  const { json, rawNumbers } = group;
  switch (key) {
    case 'tokens':
      return decodeText(rawNumbers?.tokens) ?? renderRows(group.tokens, String);
    case 'masks':
      return decodeText(rawNumbers?.masks) ?? renderRows(group.masks, String);
    case 'distill_token_ids':
      return decodeText(rawNumbers?.distill_token_ids) ?? renderItems(group.distillTokenIds, String);
    case 'scores':
      return renderList(group.scores, 0, group.scores.length, writeFloat(key));
    case 'advantages':
      return renderRows(group.advantages, writeFloat(key));
    case 'ref_logprobs':
      return renderRows(group.refLogprobs, writeFloat(key));
    case 'inference_logprobs':
      return renderRows(group.inferenceLogprobs, writeFloat(key));
    case 'distill_logprobs':
      return renderItems(group.distillLogprobs, writeFloat(key));
    case 'env_id':
      return String(group.header.env_id);
    default:
      return decodeText(json?.[key]) ?? 'null';
  }
}

type WriteNumber = (value: number) => string;

function writeFloat(key: ScoredDataKey): WriteNumber {
  return (value) => {
    if (!Number.isFinite(value)) throw new GroupNotFiniteError(key);
    return formatFloat(value);
  };
}

function renderRows(rows: Ragged<IntValues | FloatValues> | undefined, write: WriteNumber): string {
  if (rows === undefined) return 'null';
  let offset = 0;
  const texts = Array.from(rows.rowLengths, (length) => renderList(rows.values, offset, (offset += length), write));
  return `[${texts.join(',')}]`;
}

function renderItems(items: Nested<IntValues | FloatValues> | undefined, write: WriteNumber): string {
  if (items === undefined) return 'null';
  let offset = 0;
  const lists = Array.from(items.itemLengths, (length) => renderList(items.values, offset, (offset += length), write));
  let row = 0;
  const rows = Array.from(items.rowLengths, (length) => `[${lists.slice(row, (row += length)).join(',')}]`);
  return `[${rows.join(',')}]`;
}

function renderList(values: IntValues | FloatValues, start: number, end: number, write: WriteNumber): string {
  return `[${Array.from(values.subarray(start, end), write).join(',')}]`;
}

const decodeText = (text: Uint8Array | undefined): string | undefined =>
  text === undefined ? undefined : new TextDecoder().decode(text);
