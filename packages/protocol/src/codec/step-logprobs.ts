import { requireLittleEndian } from './container.ts';
import { PackedGroupError } from './packed-group-error.ts';

/*
 * Log probabilities of the trainer for some sequences of a step, little-endian:
 *
 *   0   4 bytes  magic "LLPR"
 *   4   u32      number of sequences
 *   8   12 bytes per sequence: u32 group, u32 sequence in it, u32 number of values
 *   …   the values as f32, in the order of the table, no bytes after the last
 */

const MAGIC = 0x52504c4c; // "LLPR" read as a little-endian u32
const PREAMBLE_WORDS = 2;
const ENTRY_WORDS = 3;

/** What the trainer gives the tokens of one sequence, all but the first: nothing predicts that one. */
export interface SequenceLogprobs {
  /** Its group's place in the batch. */
  group: number;
  sequence: number;
  values: Float32Array;
}

/** Packs log probabilities of the trainer, four bytes each. */
export function encodeStepLogprobs(sequences: readonly SequenceLogprobs[]): Uint8Array<ArrayBuffer> {
  requireLittleEndian();
  const words = PREAMBLE_WORDS + sequences.length * ENTRY_WORDS;
  const total = sequences.reduce((sum, { values }) => sum + values.length, words);
  const bytes = new Uint8Array(total * 4);
  const table = new Uint32Array(bytes.buffer, 0, words);
  const values = new Float32Array(bytes.buffer);
  table.set([MAGIC, sequences.length]);
  let start = words;
  for (const [index, entry] of sequences.entries()) {
    table.set([entry.group, entry.sequence, entry.values.length], PREAMBLE_WORDS + index * ENTRY_WORDS);
    values.set(entry.values, start);
    start += entry.values.length;
  }
  return bytes;
}

/** Throws a `PackedGroupError` when it is damaged. */
export function decodeStepLogprobs(bytes: Uint8Array): SequenceLogprobs[] {
  requireLittleEndian();
  // Views want an aligned start, which the bytes of a file that was read into a pool need not have.
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (whole.byteLength % 4 !== 0 || whole.byteLength < PREAMBLE_WORDS * 4) throw damaged();
  const words = new Uint32Array(whole.buffer, whole.byteOffset, whole.byteLength / 4);
  const values = new Float32Array(whole.buffer, whole.byteOffset, words.length);
  const count = words[1]!;
  let start = PREAMBLE_WORDS + count * ENTRY_WORDS;
  if (words[0] !== MAGIC || start > words.length) throw damaged();
  const sequences: SequenceLogprobs[] = [];
  for (let index = 0; index < count; index += 1) {
    const [group = 0, sequence = 0, length = 0] = words.subarray(PREAMBLE_WORDS + index * ENTRY_WORDS);
    if (start + length > words.length) throw damaged();
    sequences.push({ group, sequence, values: values.subarray(start, start + length) });
    start += length;
  }
  if (start !== words.length) throw damaged();
  return sequences;
}

const damaged = (): PackedGroupError =>
  new PackedGroupError({ section: 'step log probabilities', reason: 'end where they should not' });
