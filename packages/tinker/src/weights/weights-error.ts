const marker = Symbol.for('lachesis.tinker.weights-error');

/** What went wrong, as one word. Public: add, do not rename. */
export type WeightsErrorReason =
  /** Not a `tinker://` path, or one without a name. */
  | 'bad-path'
  /** A setting out of its bounds. */
  | 'bad-setting'
  /** The destination is there already. */
  | 'exists'
  /** Another process downloads to the same destination. */
  | 'busy'
  /** The server answered with an error; `status` is its number. */
  | 'refused'
  /** The server has no archive of this checkpoint. */
  | 'no-archive'
  /** The server sent us to a place we do not read from. */
  | 'unsafe-location'
  /** The archive holds something that must not be unpacked. */
  | 'unsafe-archive'
  /** The archive cannot be read to its end. */
  | 'broken-archive'
  /** Over a limit. */
  | 'too-large'
  /** The safetensors file breaks its format. */
  | 'bad-safetensors'
  /** The files are whole but are not a LoRA adapter. */
  | 'bad-adapter'
  /** The server answered with something this client cannot read. */
  | 'protocol'
  /** The connection failed, or gave no bytes for too long. */
  | 'transport'
  /** The caller's signal ended it. */
  | 'abandoned';

export interface WeightsErrorOptions {
  reason: WeightsErrorReason;
  /** What happened, as a sentence. No signed address, no credential. */
  message: string;
  status?: number | undefined;
  /** Whether the same call may succeed later. Default: only for `transport` and `busy`. */
  retryable?: boolean;
  cause?: unknown;
}

/** Weights could not be named, listed, downloaded or read. */
export class WeightsError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is WeightsError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'WeightsError';
  readonly [marker] = true;
  readonly reason: WeightsErrorReason;
  readonly status: number | undefined;
  readonly retryable: boolean;

  constructor({ reason, message, status, retryable, cause }: WeightsErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.retryable = retryable ?? (reason === 'transport' || reason === 'busy');
  }
}
