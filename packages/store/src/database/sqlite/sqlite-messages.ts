/** What the thread of the store and the SQLite worker say to each other. */

export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  sql: string;
  parameters: readonly SqliteValue[];
  expectRows?: number;
}

export interface SqliteUnit {
  statements: readonly SqliteStatement[];
}

export type SqliteRequest =
  | { id: number; kind: 'query'; statement: SqliteStatement }
  | { id: number; kind: 'commit'; units: readonly SqliteUnit[] }
  /** Ends a transaction that its owner left open; fine when there is none. */
  | { id: number; kind: 'abandon' }
  | { id: number; kind: 'close' };

/** An error as data, because class and fields do not survive the way between threads. */
export type SqliteFailure =
  | { kind: 'stale'; statementIndex: number; expectedRows: number; actualRows: number }
  | { kind: 'sqlite'; message: string; code: string; errcode: number | undefined };

export interface SqliteQueryAnswer {
  rows: Record<string, unknown>[];
  changes: number | undefined;
}

export interface SqliteCommitAnswer {
  databaseNow: number;
  /** One entry for each unit: its failure, or null when it is on disk. */
  failures: readonly (SqliteFailure | null)[];
}

export type SqliteReply =
  | { id: number; kind: 'query'; answer: SqliteQueryAnswer }
  | { id: number; kind: 'commit'; answer: SqliteCommitAnswer }
  | { id: number; kind: 'done' }
  | { id: number; kind: 'failed'; failure: SqliteFailure };

export interface SqliteWorkerData {
  path: string;
  busyTimeoutMs: number;
  maxCachedStatements: number;
}
