import type { DatabaseSync } from 'node:sqlite';

/** A line as it is stored. */
export interface Row {
  tenant_id: string;
  cursor: number;
  action: string;
  at: number;
  data: string;
  previous_hash: string;
  hash: string;
  key_id: string;
  signature: string;
}

export interface ChangeWorld {
  readonly database: DatabaseSync;
  /** The home that is changed. */
  readonly home: string;
  /** The same home at an earlier time. */
  readonly earlier: string;
  /** A whole number below the given one, by the seed. */
  random(below: number): number;
  rows(): Row[];
  head(): Record<string, string | number>;
  put(row: Row): void;
}

/** Something that somebody without the private key does to the log. */
export interface Change {
  readonly name: string;
  apply(world: ChangeWorld): Promise<void> | void;
}
