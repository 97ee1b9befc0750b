/** What a number belongs to: a trained token, a sequence, a group of replies to one prompt, or the whole batch. */
export type BatchLevel = 'batch' | 'group' | 'sequence' | 'token';

/** A plain number stands for a constant of the batch. */
export type BatchOperand = BatchValue | number;

/**
 * Numbers of a batch, one for each token, sequence or group, or one for all. Two of them are joined at the finer level: a number of a
 * sequence counts for each of its tokens. Everything is computed at once, and what a gradient passes on its way back is remembered.
 */
export interface BatchValue {
  readonly level: BatchLevel;
  /** To be read, never changed. Tokens lie sequence after sequence, sequences in the order of the batch. */
  readonly values: Float64Array;
  plus(other: BatchOperand): BatchValue;
  minus(other: BatchOperand): BatchValue;
  times(other: BatchOperand): BatchValue;
  over(other: BatchOperand): BatchValue;
  /** The smaller of each two; where they are equal each side takes half of the gradient. */
  min(other: BatchOperand): BatchValue;
  max(other: BatchOperand): BatchValue;
  /** Between the bounds, both included, the gradient passes; outside it stops. */
  clip(low: number, high: number): BatchValue;
  exp(): BatchValue;
  log(): BatchValue;
  sigmoid(): BatchValue;
  logSigmoid(): BatchValue;
  /** A function of one's own with its derivative, for each number. */
  map(compute: (value: number) => number, slope: (value: number) => number): BatchValue;
  /** The same numbers, or what is made of each, as a constant: no gradient passes. */
  detached(change?: (value: number) => number): BatchValue;
  /** Added up over the tokens, sequences or groups of each. Default: over the batch. */
  sum(level?: BatchLevel): BatchValue;
  /** As `sum`, over their number. */
  mean(level?: BatchLevel): BatchValue;
}
