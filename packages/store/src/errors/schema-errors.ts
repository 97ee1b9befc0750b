import { hasErrorKind, StoreError } from './store-error.ts';

const TOO_NEW = 'SchemaTooNewError';
const CHANGED = 'MigrationChangedError';

/** The database was migrated by a newer server in a way this one cannot work with. */
export class SchemaTooNewError extends StoreError {
  readonly retryable = false;
  readonly minReader: number;
  readonly ownNumber: number;

  constructor(options: { minReader: number; ownNumber: number }) {
    const { minReader, ownNumber } = options;
    super(
      TOO_NEW,
      `The database needs a server that knows migration ${minReader}; this one knows ${ownNumber}. Start a newer version.`,
    );
    this.minReader = minReader;
    this.ownNumber = ownNumber;
  }

  static isInstance(error: unknown): error is SchemaTooNewError {
    return hasErrorKind(error, TOO_NEW);
  }
}

/** A migration that was already applied has other statements in this server. */
export class MigrationChangedError extends StoreError {
  readonly retryable = false;
  readonly number: number;

  constructor(options: { number: number; name: string }) {
    const { number, name } = options;
    super(
      CHANGED,
      `Migration ${number} (${name}) was applied to this database with other statements than this server has. ` +
        'Released migrations never change: use the server that made the database, or add a new migration.',
    );
    this.number = number;
  }

  static isInstance(error: unknown): error is MigrationChangedError {
    return hasErrorKind(error, CHANGED);
  }
}
