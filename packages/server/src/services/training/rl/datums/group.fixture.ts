import { MASKED } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';

export interface PlainSequence {
  tokens: number[];
  /** One per token; 1 where nothing was sampled. */
  logprobs: number[];
  score: number;
  /** Positions that are trained on; those with a log probability other than 1 when absent. */
  trained?: number[];
}

/** A group written as plain lists, for tests. */
export function makeGroup(
  sequences: PlainSequence[],
  {
    hasMasks = true,
    overrides,
    policyRanges,
    rolloutIds = [],
  }: { hasMasks?: boolean; overrides?: unknown; policyRanges?: number[]; rolloutIds?: string[] } = {},
): GroupPayload {
  const rowLengths = Uint32Array.from(sequences, ({ tokens }) => tokens.length);
  const masks = sequences.flatMap(({ tokens, logprobs, trained }) =>
    tokens.map((token, position) =>
      (trained === undefined ? logprobs[position] !== 1 : trained.includes(position)) ? token : MASKED,
    ),
  );
  return {
    header: { rollout_ids: rolloutIds, env_id: 0, split: 'train', consent: 'unspecified', outcome: 'scored' },
    tokens: { values: Int32Array.from(sequences.flatMap(({ tokens }) => tokens)), rowLengths },
    masks: hasMasks
      ? { values: Int32Array.from(masks), rowLengths }
      : { values: new Int32Array(), rowLengths: new Uint32Array(sequences.length) },
    scores: Float64Array.from(sequences, ({ score }) => score),
    inferenceLogprobs: { values: Float32Array.from(sequences.flatMap(({ logprobs }) => logprobs)), rowLengths },
    ...(overrides === undefined ? {} : { json: { overrides: new TextEncoder().encode(JSON.stringify(overrides)) } }),
    ...(policyRanges === undefined ? {} : { policyRanges: Uint32Array.from(policyRanges) }),
  };
}
