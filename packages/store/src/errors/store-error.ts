const marker = Symbol.for('lachesis.store.error');

/** Whether a failed write may nevertheless be on disk: `unknown` when the answer to it was lost. */
export type WriteOutcome = 'nothing-written' | 'unknown';

/** What every error of the store has in common. Recognise kinds by the `isInstance` of each class, not by `instanceof`. */
export abstract class StoreError extends Error {
  /** Whether the same call may succeed later without anybody changing it. */
  abstract readonly retryable: boolean;

  constructor(kind: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = kind;
    Object.defineProperty(this, marker, { value: kind });
  }
}

/** True for an error of this kind, also one made by another copy of this package. */
export function hasErrorKind(error: unknown, kind: string): boolean {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[marker] === kind;
}
