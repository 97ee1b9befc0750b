import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Span, TrainedRow } from './compare-spans.ts';

export interface EngineBooks {
  readonly sampled: readonly Span[];
  /** Sequences of the reinforcement steps; those of a warm-up have no advantages. */
  readonly trained: readonly TrainedRow[];
}

interface Tokens {
  readonly chunks: readonly { readonly tokens: readonly number[] }[];
}

interface Datum {
  readonly model_input: Tokens;
  readonly loss_fn_inputs: Readonly<
    Record<'target_tokens' | 'weights' | 'advantages' | 'logprobs', { readonly data: readonly number[] }>
  >;
}

/** What the engine itself wrote down: each reply it sampled, and each sequence it was given to learn from. */
export function readEngineBooks(engineDirectory: string): EngineBooks {
  using database = new DatabaseSync(join(engineDirectory, 'tinker.db'), { readOnly: true });
  const read = (type: string): { asked: unknown; told: unknown }[] =>
    (
      database
        .prepare("SELECT request_data, result_data FROM futures WHERE request_type = ? AND status = 'COMPLETED'")
        .all(type) as unknown as { request_data: string; result_data: string }[]
    ).map(({ request_data: asked, result_data: told }) => ({ asked: JSON.parse(asked), told: JSON.parse(told) }));
  return {
    sampled: read('SAMPLE').flatMap(({ asked, told }) => {
      const prompt = joinChunks((asked as { prompt: Tokens }).prompt);
      return (told as { sequences: Omit<Span, 'prompt'>[] }).sequences.map((each) => ({ ...each, prompt }));
    }),
    trained: read('FORWARD_BACKWARD').flatMap(({ asked }) =>
      (asked as { data: Datum[] }).data
        .filter(({ loss_fn_inputs: given }) => given.advantages.data.length > 0)
        .map(toRow),
    ),
  };
}

/** Targets are one place further than inputs; the first token is never learnt. */
function toRow({ model_input: input, loss_fn_inputs: given }: Datum): TrainedRow {
  return {
    tokens: [...joinChunks(input).slice(0, 1), ...given.target_tokens.data],
    isTrained: [false, ...given.weights.data.map((weight) => weight !== 0)],
    logprobs: [0, ...given.logprobs.data],
  };
}

const joinChunks = ({ chunks }: Tokens): number[] => chunks.flatMap(({ tokens }) => [...tokens]);
