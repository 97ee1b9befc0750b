import { requireLittleEndian } from './container.ts';
import { PackedGroupError } from './packed-group-error.ts';

/*
 * The tokens of one reply with those of its prompt before them, little-endian:
 *
 *   0   4 bytes  magic "LTOK"
 *   4   u32      format version
 *   8   u32      tokens of the prompt, P
 *   12  u32      tokens of the reply, N
 *   16  u32      flags: 1 there is text, 2 there is a policy version
 *   20  u32      policy version
 *   24  u32      bytes of the text
 *   28  u32      bytes of the name of the tokenizer
 *   32  u32      ids, P + N
 *   …   f32      log probabilities of the reply, N
 *   …   u32      with text: where each token begins in it, and the end, P + N + 1
 *   …   u8       mask, P + N: 1 for what the model sampled
 *   …   u8       the text, as the bytes that the tokens stand for: one may be a part of a character
 *   …   u8       the name of the tokenizer, in UTF-8; no bytes after the last
 */

const MAGIC = 0x4b4f544c; // "LTOK" read as a little-endian u32
const FORMAT_VERSION = 1;
const HEADER_WORDS = 8;
const HAS_TEXT = 1;
const HAS_POLICY = 2;

/** What packed tokens of a reply are called on the wire. */
export const TURN_TOKENS_CONTENT_TYPE = 'application/vnd.lachesis.tokens';

/** The tokens of one reply, with those of its prompt before them. */
export interface TurnTokens {
  /** How many of the ids are of the prompt. */
  promptTokens: number;
  ids: Uint32Array;
  /** Of the reply alone. */
  logprobs: Float32Array;
  /** One for each id: 1 for what the model sampled. */
  mask: Uint8Array;
  policyVersion: number | null;
  /** Null where the tokenizer of the model is not on the server's machine. */
  text: {
    /** Those of all tokens, one after the other. A token may be a part of a character. */
    bytes: Uint8Array;
    /** Where each token begins, and the end of the last. */
    offsets: Uint32Array;
    tokenizer: string;
  } | null;
}

/** Packs the tokens of one reply: 13 bytes each, and what they say. */
export function encodeTurnTokens(tokens: TurnTokens): Uint8Array<ArrayBuffer> {
  requireLittleEndian();
  const { promptTokens, ids, logprobs, mask, policyVersion, text } = tokens;
  const name = new TextEncoder().encode(text?.tokenizer ?? '');
  const textBytes = text?.bytes.length ?? 0;
  const words = HEADER_WORDS + ids.length + logprobs.length + (text?.offsets.length ?? 0);
  const bytes = new Uint8Array(words * 4 + mask.length + textBytes + name.length);
  const flags = (text === null ? 0 : HAS_TEXT) | (policyVersion === null ? 0 : HAS_POLICY);
  const table = new Uint32Array(bytes.buffer, 0, words);
  table.set([MAGIC, FORMAT_VERSION, promptTokens, logprobs.length, flags, policyVersion ?? 0, textBytes, name.length]);
  table.set(ids, HEADER_WORDS);
  new Float32Array(bytes.buffer, (HEADER_WORDS + ids.length) * 4, logprobs.length).set(logprobs);
  if (text !== null) table.set(text.offsets, HEADER_WORDS + ids.length + logprobs.length);
  bytes.set(mask, words * 4);
  if (text !== null) bytes.set(text.bytes, words * 4 + mask.length);
  bytes.set(name, words * 4 + mask.length + textBytes);
  return bytes;
}

/** Views on the bytes, nothing is copied. Throws a `PackedGroupError` when they are damaged. */
export function decodeTurnTokens(input: Uint8Array): TurnTokens {
  requireLittleEndian();
  // Views want an aligned start, which a part of a larger buffer need not have.
  const bytes = input.byteOffset % 4 === 0 ? input : input.slice();
  if (bytes.byteLength < HEADER_WORDS * 4) throw damaged();
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  const [magic, version, promptTokens = 0, replyTokens = 0, flags = 0, policy = 0, textBytes = 0, nameBytes = 0] =
    header;
  if (magic !== MAGIC || version !== FORMAT_VERSION) throw damaged();
  const count = promptTokens + replyTokens;
  const hasText = (flags & HAS_TEXT) !== 0;
  const words = HEADER_WORDS + count + replyTokens + (hasText ? count + 1 : 0);
  if (words * 4 + count + textBytes + nameBytes !== bytes.byteLength) throw damaged();
  let start = bytes.byteOffset + HEADER_WORDS * 4;
  const take = <T>(make: (at: number) => T, length: number): T => {
    const taken = make(start);
    start += length;
    return taken;
  };
  const { buffer } = bytes;
  const ids = take((at) => new Uint32Array(buffer, at, count), count * 4);
  const logprobs = take((at) => new Float32Array(buffer, at, replyTokens), replyTokens * 4);
  const offsets = hasText ? take((at) => new Uint32Array(buffer, at, count + 1), (count + 1) * 4) : undefined;
  const mask = take((at) => new Uint8Array(buffer, at, count), count);
  const said = take((at) => new Uint8Array(buffer, at, textBytes), textBytes);
  const tokenizer = new TextDecoder().decode(new Uint8Array(buffer, start, nameBytes));
  if (offsets !== undefined && !isRising(offsets, textBytes)) throw damaged();
  return {
    ...{ promptTokens, ids, logprobs, mask, policyVersion: (flags & HAS_POLICY) === 0 ? null : policy },
    text: offsets === undefined ? null : { bytes: said, offsets, tokenizer },
  };
}

function isRising(offsets: Uint32Array, end: number): boolean {
  let last = 0;
  for (const offset of offsets) {
    if (offset < last) return false;
    last = offset;
  }
  return offsets[0] === 0 && last === end;
}

const damaged = (): PackedGroupError =>
  new PackedGroupError({ section: 'tokens of a reply', reason: 'end where they should not' });
