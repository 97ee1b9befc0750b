import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'StaleWriteError';

/** A statement touched another number of rows than the unit was decided for, so the whole unit was rolled back. */
export class StaleWriteError extends StoreError {
  readonly retryable = false;
  /** Place of the statement in the unit, from 0. */
  readonly statementIndex: number;
  readonly expectedRows: number;
  readonly actualRows: number;

  constructor(options: { statementIndex: number; expectedRows: number; actualRows: number }) {
    const { statementIndex, expectedRows, actualRows } = options;
    super(
      KIND,
      `Statement ${statementIndex} changed ${actualRows} rows where ${expectedRows} were expected; the unit was rolled back. ` +
        'Somebody else wrote first: load the state again and decide anew.',
    );
    this.statementIndex = statementIndex;
    this.expectedRows = expectedRows;
    this.actualRows = actualRows;
  }

  static isInstance(error: unknown): error is StaleWriteError {
    return hasErrorKind(error, KIND);
  }
}
