const marker = Symbol.for('lachesis.server.trainer-error');

/** What ended a training, as one word. */
export type TrainerErrorKind = 'alarm' | 'engine' | 'no-logprobs' | 'not-finite' | 'settings';

/** A training that cannot go on. The message says what to do. */
export class TrainerError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is TrainerError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'TrainerError';
  readonly [marker] = true;
  readonly kind: TrainerErrorKind;

  constructor({ kind, message, cause }: { kind: TrainerErrorKind; message: string; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
