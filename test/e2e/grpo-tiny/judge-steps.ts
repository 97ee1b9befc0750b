/** A row of the trainer's step ledger. */
export interface StepRow {
  readonly step: number;
  readonly state: string;
  readonly batchId: string;
  readonly groups: number;
  readonly modelId: string | null;
}

export interface StepsJudgement {
  readonly done: number;
  /** Batches that made more than one step that is in the weights. */
  readonly batchesTwice: readonly string[];
  /** Steps the engine made beyond those in the ledger. */
  readonly surplus: number;
  /** Steps of the ledger the engine never made. */
  readonly missing: number;
  /** Steps of the engine whose gradients are of more sequences than a batch has: some were sent twice. */
  readonly overfull: number;
  /** Groups of all settled steps. */
  readonly groups: number;
  /** Steps that were given up with their weights. */
  readonly lost: number;
}

/** A batch whose lease ended is settled when it comes back; until then its step is `stepped`. */
const IN_WEIGHTS: ReadonlySet<string> = new Set(['stepped', 'saved', 'done']);

/**
 * Puts the trainer's ledger beside the engine's own count of optimiser steps. A step that was lost may or may not have
 * reached the model that was given up, so such a model may have as many more.
 */
export function judgeSteps(options: {
  steps: readonly StepRow[];
  /** By model, as the engine wrote them down: of how many sequences the gradients of each step were. */
  optimizerSteps: ReadonlyMap<string, readonly number[]>;
  /** Sequences in a batch. */
  batchSize: number;
}): StepsJudgement {
  const { steps, optimizerSteps, batchSize } = options;
  const done = steps.filter(({ state }) => IN_WEIGHTS.has(state));
  const lost = steps.filter(({ state }) => state === 'lost');
  const batches = done.map(({ batchId }) => batchId);
  let [surplus, missing, overfull] = [0, 0, 0];
  for (const modelId of new Set(steps.flatMap(({ modelId: id }) => id ?? []))) {
    const sizes = optimizerSteps.get(modelId) ?? [];
    const made = sizes.length;
    overfull += sizes.filter((size) => size > batchSize).length;
    const least = done.filter((row) => row.modelId === modelId).length;
    const most = least + lost.filter((row) => row.modelId === modelId).length;
    surplus += Math.max(0, made - most);
    missing += Math.max(0, least - made);
  }
  return {
    done: done.length,
    batchesTwice: [...new Set(batches.filter((batch, index) => batches.indexOf(batch) !== index))],
    surplus,
    missing,
    overfull,
    groups: steps
      .filter(({ state }) => state === 'done' || state === 'empty')
      .reduce((sum, { groups }) => sum + groups, 0),
    lost: lost.length,
  };
}
