import type { WriteOutcome } from '../errors/store-error.ts';
import type { Deadline } from './deadline.ts';

export interface SessionResult {
  rows: Record<string, unknown>[];
  /** Rows changed; undefined for statements that change none. */
  changes: number | undefined;
  /** The command the database says it ran, where it says so. */
  command: string | undefined;
}

/** A connection lent to one caller for one deadline. When the deadline passes it is taken away and never used again. */
export interface Session {
  /** Throws a StoreError for every failure the store knows; `outcome` is what a lost answer means for this statement. */
  run(sql: string, parameters: readonly unknown[], outcome: WriteOutcome): Promise<SessionResult>;
  /** Gives the connection back. May be called after the deadline took it away. */
  release(): void;
  /** Ends the connection instead of giving it back, with whatever transaction it is in. */
  discard(): void;
}

/** Where sessions come from; implemented by each database. */
export interface SessionSource {
  /** Resolves before the deadline or rejects with StoreTimeoutError or StoreUnavailableError. */
  openSession(deadline: Deadline): Promise<Session>;
}
