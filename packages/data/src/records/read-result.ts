import type { DataRecord } from '@lachesis/protocol';

/** What was wrong with the source and has been put right in the record. */
export interface Repair {
  /** kebab-case, the same for every occurrence: `nested-duplicate`, `first-question-restored`. */
  kind: string;
  /** What was done, in one sentence. */
  what: string;
}

/** A row that cannot be read. */
export interface ReadProblem {
  /** Line of the file, from 1, or the place inside it. */
  at: string;
  reason: string;
}

/** What a reader says about each row, in order. */
export type ReadResult<R extends DataRecord = DataRecord> =
  | {
      record: R;
      repairs: readonly Repair[];
      /** As of a problem, where the reader knows it: whoever takes the row may have to say which one it refuses. */
      at?: string;
    }
  | { problem: ReadProblem };
