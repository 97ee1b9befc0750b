const MARK = Symbol.for('lachesis.cli.secrets-error');

/** Why the file of secrets cannot be used, and what mends it. Never with a value. */
export class SecretsError extends Error {
  readonly [MARK] = true;
  readonly path: string;
  /** What to do, as a sentence or a command. */
  readonly fix: string;

  constructor({ path, reason, fix }: { path: string; reason: string; fix: string }) {
    super(`${path} ${reason}. ${fix}`);
    this.name = 'SecretsError';
    this.path = path;
    this.fix = fix;
  }

  static isInstance(error: unknown): error is SecretsError {
    return typeof error === 'object' && error !== null && MARK in error;
  }
}
