import type { GroupPayload } from '@lachesis/protocol/codec';
import { rowStarts } from '../datums/trained-positions.ts';

/** The log probability a teacher gives a token of a sequence; NaN where it says nothing. */
export type WireTeacher = (sequence: number, position: number) => number;

/** Rounding of a softmax; more than this above 1 is no distribution, but what stands where nothing was asked. */
const MOST_PROBABILITY = 1 + 1e-3;

/**
 * Reads `distill_token_ids` and `distill_logprobs`: at each position of a sequence, candidates for the token that stands there and
 * how likely the teacher finds each. What is used is the candidate that was sampled. One that is not among them is less likely
 * than the least of them, and has at most what they leave over; that bound is taken. Rows of another length than their tokens are
 * of other tokens, and say nothing. Undefined for a group without a teacher.
 */
export function readWireTeacher(payload: GroupPayload): WireTeacher | undefined {
  const { tokens, distillTokenIds: ids, distillLogprobs: logprobs } = payload;
  if (ids === undefined || logprobs === undefined) return undefined;
  const tokenStarts = rowStarts(tokens.rowLengths);
  const [idItems, logprobItems] = [rowStarts(ids.rowLengths), rowStarts(logprobs.rowLengths)];
  const [idStarts, logprobStarts] = [rowStarts(ids.itemLengths), rowStarts(logprobs.itemLengths)];
  const isAligned = (sequence: number): boolean =>
    ids.rowLengths[sequence] === tokens.rowLengths[sequence] &&
    logprobs.rowLengths[sequence] === tokens.rowLengths[sequence];
  return (sequence, position) => {
    if (!isAligned(sequence)) return Number.NaN;
    const idItem = idItems[sequence]! + position;
    const logprobItem = logprobItems[sequence]! + position;
    const count = ids.itemLengths[idItem]!;
    if (count !== logprobs.itemLengths[logprobItem]) return Number.NaN;
    const from = logprobStarts[logprobItem]!;
    return findLogprob({
      token: tokens.values[tokenStarts[sequence]! + position]!,
      ids: ids.values.subarray(idStarts[idItem], idStarts[idItem]! + count),
      logprobs: logprobs.values.subarray(from, from + count),
    });
  };
}

function findLogprob(candidates: { token: number; ids: ArrayLike<number>; logprobs: ArrayLike<number> }): number {
  const { token, ids, logprobs } = candidates;
  let found = Number.NaN;
  let least = Number.POSITIVE_INFINITY;
  let taken = 0;
  for (let index = 0; index < ids.length; index += 1) {
    const logprob = logprobs[index]!;
    // The position before the first prediction has a mark above 0, and no probability.
    if (!(logprob <= 0)) return Number.NaN;
    if (ids[index] === token) found = logprob;
    least = Math.min(least, logprob);
    taken += Math.exp(logprob);
  }
  if (ids.length === 0 || taken > MOST_PROBABILITY) return Number.NaN;
  if (!Number.isNaN(found)) return found;
  // Nothing left over: what stands there is padding, or a teacher that is sure of another token beyond what numbers can say.
  return taken >= 1 ? Number.NaN : Math.min(least, Math.log1p(-taken));
}
