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
    setAside,
    distill,
  }: {
    hasMasks?: boolean;
    overrides?: unknown;
    policyRanges?: number[];
    rolloutIds?: string[];
    setAside?: GroupPayload['header']['set_aside'];
    /** By sequence and position, candidates as pairs of id and log probability. */
    distill?: [id: number, logprob: number][][][];
  } = {},
): GroupPayload {
  const rowLengths = Uint32Array.from(sequences, ({ tokens }) => tokens.length);
  const masks = sequences.flatMap(({ tokens, logprobs, trained }) =>
    tokens.map((token, position) =>
      (trained === undefined ? logprobs[position] !== 1 : trained.includes(position)) ? token : MASKED,
    ),
  );
  return {
    header: {
      ...{ rollout_ids: rolloutIds, env_id: 0, split: 'train', consent: 'unspecified', outcome: 'scored' },
      ...(setAside === undefined ? {} : { set_aside: setAside }),
    },
    tokens: { values: Int32Array.from(sequences.flatMap(({ tokens }) => tokens)), rowLengths },
    masks: hasMasks
      ? { values: Int32Array.from(masks), rowLengths }
      : { values: new Int32Array(), rowLengths: new Uint32Array(sequences.length) },
    scores: Float64Array.from(sequences, ({ score }) => score),
    inferenceLogprobs: { values: Float32Array.from(sequences.flatMap(({ logprobs }) => logprobs)), rowLengths },
    ...(overrides === undefined ? {} : { json: { overrides: new TextEncoder().encode(JSON.stringify(overrides)) } }),
    ...(distill === undefined ? {} : nestCandidates(distill)),
    ...(policyRanges === undefined ? {} : { policyRanges: Uint32Array.from(policyRanges) }),
  };
}

function nestCandidates(distill: [number, number][][][]): Pick<GroupPayload, 'distillLogprobs' | 'distillTokenIds'> {
  const itemLengths = Uint32Array.from(distill.flat(), ({ length }) => length);
  const rowLengths = Uint32Array.from(distill, ({ length }) => length);
  const pairs = distill.flat(2);
  return {
    distillTokenIds: { values: Int32Array.from(pairs, ([id]) => id), itemLengths, rowLengths },
    distillLogprobs: { values: Float32Array.from(pairs, ([, logprob]) => logprob), itemLengths, rowLengths },
  };
}
