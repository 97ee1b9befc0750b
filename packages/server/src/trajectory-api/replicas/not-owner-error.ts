const marker = Symbol.for('lachesis.server.not-owner-error');

/** A server was asked to decide about a run that is not its own. Nothing was decided; whoever asked looks for the owner again. */
export class NotOwnerError extends Error {
  readonly [marker] = true;

  constructor(runName: string) {
    super(`this server does not own the run ${runName}`);
  }

  static isInstance(error: unknown): error is NotOwnerError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
