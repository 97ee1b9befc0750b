import { hasErrorKind, StoreError } from './store-error.ts';

const MODEL_MISSING = 'ModelMissingError';
const MODEL_REFUSED = 'ModelRefusedError';
const MODEL_OVERTAKEN = 'ModelOvertakenError';

/** No registered model fits this name, version or id. */
export class ModelMissingError extends StoreError {
  readonly retryable = false;
  readonly ref: string;

  constructor(options: { ref: string }) {
    super(MODEL_MISSING, `There is no model ${options.ref}. Look it up with \`lachesis models list\`.`);
    this.ref = options.ref;
  }

  static isInstance(error: unknown): error is ModelMissingError {
    return hasErrorKind(error, MODEL_MISSING);
  }
}

/** The registry does not take this, or cannot do this, as things are. */
export class ModelRefusedError extends StoreError {
  readonly retryable = false;
  readonly ref: string;
  readonly reason: string;

  constructor(options: { ref: string; reason: string; next: string }) {
    const { ref, reason, next } = options;
    super(MODEL_REFUSED, `The model ${ref} ${reason}. ${next}`);
    this.ref = ref;
    this.reason = reason;
  }

  static isInstance(error: unknown): error is ModelRefusedError {
    return hasErrorKind(error, MODEL_REFUSED);
  }
}

/** The name serves another one than the caller counted on. Nothing was written. */
export class ModelOvertakenError extends StoreError {
  readonly retryable = false;
  readonly ref: string;
  /** As `name@version`; null when it serves nothing. */
  readonly served: string | null;

  constructor(options: { ref: string; served: string | null }) {
    const { ref, served } = options;
    super(
      MODEL_OVERTAKEN,
      `The model ${ref} was not promoted: ${served ?? 'nothing'} is served since. Compare with that one.`,
    );
    this.ref = ref;
    this.served = served;
  }

  static isInstance(error: unknown): error is ModelOvertakenError {
    return hasErrorKind(error, MODEL_OVERTAKEN);
  }
}
