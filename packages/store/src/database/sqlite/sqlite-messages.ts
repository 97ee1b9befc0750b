/** What the thread of the store and the SQLite worker say to each other. */

export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  sql: string;
  parameters: readonly SqliteValue[];
}

/** A statement of a unit: the place of its text, its parameters, and how many rows it has to change if that matters. */
export type SqliteUnitStatement = readonly [
  text: number,
  parameters: readonly SqliteValue[],
  expectRows: number | null,
];

/** Statements, and each of their texts once: a thousand records are the same few statements run hundreds of times. */
export interface SqliteUnit {
  texts: readonly string[];
  statements: readonly SqliteUnitStatement[];
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

/** Names once and values by row: half the work of objects on both sides. */
export interface SqliteQueryAnswer {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
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
