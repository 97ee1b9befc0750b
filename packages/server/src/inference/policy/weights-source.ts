/** One request for tokens. */
export interface TokenSample {
  prompt: Int32Array;
  samples: number;
  maxTokens: number;
  temperature: number;
  topP?: number | undefined;
  topK?: number | undefined;
  seed?: number | undefined;
  /** Ids that end a sequence; the one that did is its last. */
  stopTokens: readonly number[];
  promptLogprobs?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface SampledTokens {
  tokens: Int32Array;
  /** One per token. */
  logprobs: Float32Array;
  stopReason: 'stop' | 'length';
}

export interface SampledReply {
  sequences: SampledTokens[];
  /** One per prompt token, NaN for the first. */
  promptLogprobs?: Float32Array | undefined;
}

/** Which weights. */
export interface Weights {
  /** A checkpoint, or null for the base model. */
  modelPath: string | null;
  baseModel: string;
}

/** Weights that are loaded and answer. */
export interface WeightsSampler {
  sample(request: TokenSample): Promise<SampledReply>;
  /** Gives them back, after what is under way. */
  close(): Promise<void>;
}

/** Where weights come from: an engine, or a fake one. */
export interface WeightsSource {
  /** Loads weights. Resolves when they have answered once. */
  open(weights: Weights, options: { signal?: AbortSignal | undefined }): Promise<WeightsSampler>;
  close(): Promise<void>;
}
