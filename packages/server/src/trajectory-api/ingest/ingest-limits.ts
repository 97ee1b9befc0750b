/** What strangers may send. Beyond any of these the answer is 413. */
export interface IngestLimits {
  /** Bytes of the body as sent. */
  wireBytes: number;
  /** Bytes of the body once inflated. */
  inflatedBytes: number;
  /** Inflated bytes per byte sent, for bodies that inflate to more than `ratioFloorBytes`. */
  inflationRatio: number;
  /** Small bodies may compress as well as they like: a short group of one repeated token reaches several hundred to one. */
  ratioFloorBytes: number;
  /** Rows of `tokens` in one group. */
  sequences: number;
  /** Tokens in one row. */
  tokensPerSequence: number;
}

const MIB = 1024 * 1024;

/**
 * 16 × 8k tokens with logprobs are 4 MB of JSON and 1.5 MB of gzip, so the wire bound is reached at about 700 such
 * sequences. They compress 2.6:1; a group would have to be almost all repetition to reach 100:1.
 */
export const defaultIngestLimits: Readonly<IngestLimits> = Object.freeze({
  wireBytes: 64 * MIB,
  inflatedBytes: 256 * MIB,
  inflationRatio: 100,
  ratioFloorBytes: MIB,
  sequences: 1024,
  tokensPerSequence: 1_048_576,
});

/**
 * How deep arrays and objects may nest. Atropos takes about 960 levels, where Python's recursion limit ends it, and writes
 * nearly all of those back, so a lower bound would refuse what it serves; a higher one is a deeper recursion of ours.
 */
export const MAX_DEPTH = 1000;

/** Python refuses to convert an integer with more digits, and Atropos answers 400. */
export const MAX_INTEGER_DIGITS = 4300;

/** A body with one mistake per number would otherwise make a reply larger than itself. */
export const MAX_ISSUES = 20;
