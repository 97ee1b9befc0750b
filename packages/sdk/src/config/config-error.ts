const marker = Symbol.for('lachesis.sdk.config-error');

/** What is wrong with a configuration. Names are public: add, do not rename. */
export type ConfigErrorKind = 'unknown-key' | 'bad-value' | 'bad-file' | 'bad-flag';

export interface ConfigErrorOptions {
  kind: ConfigErrorKind;
  /** What happened, with the path and where it was given; never the value of a secret. */
  reason: string;
  /** The field, such as `env.group_size`, when one is to blame. */
  path?: string;
  hint?: string;
  cause?: unknown;
}

/**
 * Thrown for a configuration that cannot be used, with the path of the field and a hint; never the value of a secret.
 */
export class ConfigError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is ConfigError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'ConfigError';
  readonly [marker] = true;
  readonly kind: ConfigErrorKind;
  readonly path: string | undefined;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor({ kind, reason, path, hint, cause }: ConfigErrorOptions) {
    super(hint === undefined ? reason : `${reason} ${hint}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.path = path;
    this.reason = reason;
    this.hint = hint;
  }
}
