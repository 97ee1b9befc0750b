const marker = Symbol.for('lachesis.tinker.engine-error');

/** What kept the engine from being made, started or found. Public: add, do not rename. */
export type EngineErrorReason =
  | 'unsupported-platform'
  | 'python-missing'
  | 'venv-failed'
  | 'install-failed'
  | 'disk-full'
  | 'model-missing'
  | 'model-failed'
  | 'folder-not-empty'
  | 'tokenizer-missing'
  | 'port-taken'
  | 'other-engine-runs'
  | 'start-failed'
  | 'not-ready'
  | 'busy'
  | 'bad-option';

export interface EngineErrorOptions {
  reason: EngineErrorReason;
  /** What happened, to which thing. */
  message: string;
  /** What to do now. */
  hint?: string;
  /** The last lines a program printed before it failed. */
  output?: string;
  cause?: unknown;
}

/** The keeper of the local engine could not do what was asked. */
export class EngineError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is EngineError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'EngineError';
  readonly [marker] = true;
  readonly reason: EngineErrorReason;
  readonly hint: string | undefined;
  readonly output: string | undefined;

  constructor({ reason, message, hint, output, cause }: EngineErrorOptions) {
    super(hint === undefined ? message : `${message} ${hint}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.hint = hint;
    this.output = output;
  }
}
