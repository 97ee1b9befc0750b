import type { RolloutGroup } from '@lachesis/protocol';
import type { TurnTokens } from '@lachesis/protocol/codec';
import { piecesOfBytes, piecesOfIds, piecesOfStrings, type TokenPieces } from './token-pieces.ts';

/** What is known of a sequence of tokens, one list for each fact. NaN is "not known" of a single token. */
export interface TokenColumns {
  readonly length: number;
  readonly ids: ArrayLike<number>;
  readonly pieces: TokenPieces;
  /** Log probabilities of who sampled. */
  readonly sampler?: ArrayLike<number> | undefined;
  /** Those of the trainer for the same tokens. */
  readonly trainer?: ArrayLike<number> | undefined;
  readonly advantages?: ArrayLike<number> | undefined;
  /** 1 for a token that is trained on. */
  readonly mask?: ArrayLike<number> | undefined;
  /** Which policy version sampled which tokens: start, end (exclusive), version. */
  readonly versions?: readonly (readonly [number, number, number])[] | undefined;
}

type RolloutSequence = RolloutGroup['sequences'][number];

/** The columns of a sequence of a group; undefined when it came without its tokens. */
export function readSequenceTokens(sequence: RolloutSequence): TokenColumns | undefined {
  const { tokens, pieces, mask, logprobs, trainer_logprobs: trainer, token_advantages: advantages } = sequence;
  if (tokens === undefined) return undefined;
  const ids = Float64Array.from(tokens, (id) => id ?? Number.NaN);
  const trained = mask === undefined ? undefined : Uint8Array.from(mask, (value) => value ?? 0);
  return {
    length: ids.length,
    ids,
    pieces: pieces === null || pieces === undefined ? piecesOfIds(ids) : piecesOfStrings(pieces),
    // A log probability is never above 0: 1 stands where nothing was sampled.
    sampler: toNumbers(logprobs, (value) => (value > 0 ? Number.NaN : value)),
    // The trainer says nothing of the first token.
    trainer: trainer === null || trainer === undefined ? undefined : toNumbers([null, ...trainer]),
    advantages: toNumbers(advantages) ?? spreadAdvantage(sequence.advantage, trained),
    mask: trained,
    versions: sequence.policy_versions,
  };
}

/** The columns of a reply with its prompt before it. */
export function readTurnTokens({ promptTokens, ids, logprobs, mask, policyVersion, text }: TurnTokens): TokenColumns {
  const sampler = new Float32Array(ids.length).fill(Number.NaN);
  sampler.set(logprobs, promptTokens);
  return {
    length: ids.length,
    ids,
    pieces: text === null ? piecesOfIds(ids) : piecesOfBytes(text.bytes, text.offsets),
    sampler,
    mask,
    versions: policyVersion === null ? undefined : [[promptTokens, ids.length, policyVersion]],
  };
}

function toNumbers(
  values: readonly (number | null)[] | null | undefined,
  read: (value: number) => number = (value) => value,
): Float32Array | undefined {
  if (values === null || values === undefined) return undefined;
  return Float32Array.from(values, (value) => (value === null ? Number.NaN : read(value)));
}

/** One number for the sequence holds for each of its trained tokens. */
function spreadAdvantage(advantage: number | null, mask: Uint8Array | undefined): Float32Array | undefined {
  if (advantage === null || mask === undefined) return undefined;
  return Float32Array.from(mask, (isTrained) => (isTrained === 1 ? advantage : Number.NaN));
}
