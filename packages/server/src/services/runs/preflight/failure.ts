const MARK = Symbol.for('lachesis.preflight-failure');

/** Something that has to be done before a run can start. */
export class PreflightFailure extends Error {
  override readonly name = 'PreflightFailure';
  readonly [MARK] = true;
  /** What to do, as a sentence. */
  readonly fix: string;

  constructor({ message, fix, cause }: { message: string; fix: string; cause?: unknown }) {
    super(message, { cause });
    this.fix = fix;
  }

  static isInstance(error: unknown): error is PreflightFailure {
    return typeof error === 'object' && error !== null && MARK in error;
  }
}
