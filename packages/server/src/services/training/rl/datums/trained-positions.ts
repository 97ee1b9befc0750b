import { MASKED } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';

/** The log probability that stands where nothing was sampled, on the Atropos wire. */
const NOT_SAMPLED = 1;

/**
 * Whether a token of a sequence is trained on. The mask decides; where a group came without masks, the log probability 1.0
 * does, which no sampled token can have.
 */
export type IsTrained = (sequence: number, position: number) => boolean;

export function readTrainedPositions(group: GroupPayload): IsTrained {
  const starts = rowStarts(group.tokens.rowLengths);
  if (hasMasks(group)) {
    const masks = group.masks.values;
    return (sequence, position) => masks[starts[sequence]! + position] !== MASKED;
  }
  const logprobs = group.inferenceLogprobs?.values;
  return (sequence, position) => logprobs !== undefined && logprobs[starts[sequence]! + position] !== NOT_SAMPLED;
}

/** An environment without masks sends empty rows, or none at all. */
export function hasMasks({ masks, tokens }: GroupPayload): boolean {
  return masks.values.length === tokens.values.length && tokens.values.length > 0;
}

/** Where each row begins. */
export function rowStarts(rowLengths: Uint32Array): Uint32Array {
  const starts = new Uint32Array(rowLengths.length);
  for (let row = 1; row < rowLengths.length; row += 1) starts[row] = starts[row - 1]! + rowLengths[row - 1]!;
  return starts;
}
