import type { TensorInput } from './tensor.ts';

/** A piece of model input that is not plain tokens, or tokens between such pieces. */
export type InputChunk =
  | { type: 'encoded_text'; tokens: Int32Array }
  | { type: 'image'; data: Uint8Array; format: 'jpeg' | 'png'; expectedTokens?: number }
  | { type: 'image_asset_pointer'; location: string; format: 'jpeg' | 'png'; expectedTokens?: number }
  | { type: 'dmel'; dmel: Uint8Array };

/** A run of tokens that came from a sampled sequence or from its prompt. */
export interface ProvenanceSpan {
  from: 'prompt' | 'sampled';
  sequenceId: string;
  offset: number;
  length: number;
}

/** One training example: the input, and per-token tensors of the same length. */
export interface Datum {
  /** The model input, without the last token of the sequence. */
  tokens: Int32Array;
  /** `target_tokens`, `weights`, `logprobs`, `advantages` and what else the loss asks for. */
  inputs: Readonly<Record<string, TensorInput>>;
  /** Sent instead of `tokens` where the input holds images or audio. */
  chunks?: readonly InputChunk[];
  /** Where the input's tokens and the loss inputs come from; both or neither. */
  provenance?: { input: readonly ProvenanceSpan[]; lossInputs: readonly ProvenanceSpan[] };
}

/** Parameters of a loss, such as `clip_low_threshold`. */
export type LossConfig = Readonly<Record<string, number | string>>;

/** What one forward_backward request carries. */
export interface ForwardBackwardRequest {
  modelId: string;
  seqId: number;
  datums: readonly Datum[];
  loss: string;
  config?: LossConfig | undefined;
  forwardOnly?: boolean | undefined;
}

/** Per datum: what the loss returned under each name, `logprobs` above all. */
export type LossOutput = Readonly<Record<string, { data: BigInt64Array | Float32Array; shape: readonly number[] }>>;

export interface ForwardBackwardOutput {
  /** The kind of the outputs, without the module the server keeps it in. */
  outputType: string;
  outputs: LossOutput[];
  metrics: Record<string, number>;
}
