const marker = Symbol.for('lachesis.data.batch-error');

/**
 * `refused`: it was not begun. `attempt`: one attempt failed, and the next may do better. `stop`: no other item would do better
 * either. `released`: somebody ended the work; the item goes back as it is.
 */
export type BatchErrorKind = 'attempt' | 'refused' | 'released' | 'stop';

export interface BatchErrorOptions {
  kind: BatchErrorKind;
  /** What happened, to which thing. */
  what: string;
  /** What to do now. */
  hint?: string | undefined;
  /** Of an attempt: the conversation itself is to blame, so the next one begins anew. */
  isStartingOver?: boolean;
  /** Of an attempt: what was paid and is told with no turn. */
  cost?: number;
  cause?: unknown;
}

/** Thrown when a batch or one attempt of it cannot go on; `kind` says what that means for the other items. */
export class BatchError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is BatchError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'BatchError';
  readonly [marker] = true;
  readonly kind: BatchErrorKind;
  readonly what: string;
  readonly hint: string | undefined;
  readonly isStartingOver: boolean;
  readonly cost: number;

  constructor({ kind, what, hint, isStartingOver = false, cost = 0, cause }: BatchErrorOptions) {
    super(hint === undefined ? what : `${what}. ${hint}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.what = what;
    this.hint = hint;
    this.isStartingOver = isStartingOver;
    this.cost = cost;
  }
}
