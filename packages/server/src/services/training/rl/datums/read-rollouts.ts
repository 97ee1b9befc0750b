import type { GroupPayload } from '@lachesis/protocol/codec';

export interface GroupRollouts {
  /** One score per rollout, in the order in which they come. */
  readonly scores: Float64Array;
  /** Which of them each sequence belongs to. */
  readonly rolloutOf: Uint32Array;
}

/**
 * The rollouts of a group. Sequences that name the same one are parts of one attempt whose history was split; where none is
 * named, each sequence is a rollout. The API takes only groups in which the parts agree on the score.
 */
export function readRollouts({ header, scores }: Pick<GroupPayload, 'header' | 'scores'>): GroupRollouts {
  const ids = header.rollout_ids;
  if (ids.length !== scores.length) {
    return { scores: Float64Array.from(scores), rolloutOf: Uint32Array.from(scores, (_, sequence) => sequence) };
  }
  const numbers = new Map<string, number>();
  const own: number[] = [];
  const rolloutOf = Uint32Array.from(ids, (id, sequence) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, own.length);
    return own.push(scores[sequence]!) - 1;
  });
  return { scores: Float64Array.from(own), rolloutOf };
}
