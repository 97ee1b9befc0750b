import { redactDatabaseUrl } from '../database/database-url.ts';
import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'DatabaseUrlError';

/** The address of the database cannot be used, now or later. It holds no part of a password. */
export class DatabaseUrlError extends StoreError {
  readonly retryable = false;

  constructor(options: { databaseUrl: string; fault: string }) {
    const { databaseUrl, fault } = options;
    super(KIND, `The database URL ${redactDatabaseUrl(databaseUrl)} cannot be used: ${fault}.`);
  }

  static isInstance(error: unknown): error is DatabaseUrlError {
    return hasErrorKind(error, KIND);
  }
}
