const marker = Symbol.for('lachesis.tinker.loss-input-error');

export interface LossInputErrorOptions {
  /** The loss or step at fault, such as `dpo` or `surrogate`. */
  loss: string;
  /** What is wrong, as the rest of a sentence: `reference has 3 arrays for 4 datums`. */
  reason: string;
  /** The datum it was found in. */
  datum?: number;
}

/** A custom loss was given something it cannot work with, or gave back something that cannot be sent. Holds no tokens. */
export class LossInputError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is LossInputError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'LossInputError';
  readonly [marker] = true;
  /** The same inputs fail again. */
  readonly retryable = false;
  readonly loss: string;
  readonly reason: string;
  readonly datum: number | undefined;

  constructor({ loss, reason, datum }: LossInputErrorOptions) {
    super(`Custom loss ${loss}${datum === undefined ? '' : `, datum ${datum}`}: ${reason}.`);
    this.loss = loss;
    this.reason = reason;
    this.datum = datum;
  }
}
