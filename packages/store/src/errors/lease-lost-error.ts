import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'LeaseLostError';

/** Who wrote does not have the lease any more. Nothing was written. */
export class LeaseLostError extends StoreError {
  readonly retryable = false;
  /** What was leased, such as `supervision 0198…`. */
  readonly what: string;
  readonly holder: string;
  readonly epoch: number;

  constructor(options: { what: string; holder: string; epoch: number }) {
    const { what, holder, epoch } = options;
    super(
      KIND,
      `The lease on ${what} is not with ${holder} in epoch ${epoch} any more: it ran out or was released, and another may have it. ` +
        'Nothing was written. Stop this work; whoever has the lease goes on with it.',
    );
    this.what = what;
    this.holder = holder;
    this.epoch = epoch;
  }

  static isInstance(error: unknown): error is LeaseLostError {
    return hasErrorKind(error, KIND);
  }
}
