import type { RowId } from './rows/row.ts';
import type { ServerName } from './servers/subject.ts';

export interface ExpectedFailure {
  readonly server: ServerName;
  readonly row: RowId;
  readonly reason: string;
}

/** What the client does not meet yet. The list is exact: a row of it that passes fails the suite. */
export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [];
