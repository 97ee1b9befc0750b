/** How a server turns per-token losses into a gradient. */
export type Normalisation =
  /** Adds them up: the managed service and TuFT. */
  | 'sum'
  /** Divides each sequence by the sum of its weights, then takes the mean over all sequences since the last step: SkyRL on JAX. */
  | 'token-mean-then-sequence-mean';

/** What one kind of server does and does not do. A table of facts; nothing here is code. */
export interface ServerProfile {
  readonly name: 'managed' | 'skyrl' | 'tuft' | 'unknown';
  /** Training bodies as protobuf; JSON is tried when protobuf is refused. */
  readonly trainingBody: 'json' | 'protobuf';
  readonly normalisation: Normalisation;
  /**
   * `strict`: refuses a number out of turn. `idempotent`: a number only marks a repeated request.
   * `ordered`: runs by number and takes a repeated one for the same request.
   */
  readonly sequence: 'idempotent' | 'ordered' | 'strict';
  /**
   * A pass and a step that are pending at once may be run in the wrong order. SkyRL looks for passes, reads them, then looks for steps;
   * of two requests that both come in between it runs the step alone, and the pass goes into the next one.
   */
  readonly mayOvertake: boolean;
  /** Whether a create_model that was sent twice makes one model. */
  readonly createsModelOnce: boolean;
  readonly hasUnload: boolean;
  readonly hasFinishSession: boolean;
  readonly hasCancel: boolean;
  /** Result sizes can be asked for before the result. */
  readonly tellsSize: boolean;
  /** `overwrites-training`: sampling an older checkpoint replaces the live weights of its model. */
  readonly samplingIsolation: 'isolated' | 'overwrites-training';
  /** Gradients that were not stepped go to the next model in the slot. */
  readonly gradientsSurviveUnload: boolean;
  /** A stop is added by the server at the end-of-sequence token. */
  readonly stopsAtEos: boolean;
  readonly stopForm: 'any' | 'list';
  /** An empty stop list means: never stop. Elsewhere it means the default. */
  readonly emptyStopMeansNever: boolean;
  /** What happens without max_tokens. */
  readonly maxTokens: 'optional' | 'required' | 'small-default';
  /** `full`: one per prompt token with NaN first. `shifted`: the first is missing. */
  readonly promptLogprobs: 'full' | 'shifted';
  readonly hasBackpressure: boolean;
  /** Samples in flight at once that the server bears. */
  readonly maxSamplesInFlight: number;
  /** Whether a wrong token id is refused by the server, or poisons the model. */
  readonly checksTokenIds: boolean;
  /** Whether a wrong base model is refused by the server. */
  readonly checksBaseModel: boolean;
  /** Sparse loss inputs and those of two dimensions arrive as they are. SkyRL reads a matrix as one long row. */
  readonly takesMatrices: boolean;
  /** Images are part of the input. SkyRL on JAX leaves them out without a word. */
  readonly takesImages: boolean;
  /** Negative cross-entropy weights give the gradient they should. */
  readonly allowsNegativeWeights: boolean;
  /** Losses the server has; absent when it is not known. */
  readonly losses: readonly string[] | undefined;
  /** Settings the server takes and ignores, per call, each with what it does instead. */
  readonly droppedKnobs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fields this server refuses, per call. They are left out. */
  readonly refusedFields: Readonly<Record<string, readonly string[]>>;
}
