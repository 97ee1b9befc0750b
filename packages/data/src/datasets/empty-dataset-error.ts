import type { DroppedField } from '../records/drop-report.ts';

const marker = Symbol.for('lachesis.data.empty-dataset-error');

/** No row came through, so that there is nothing to make a version of. */
export class EmptyDatasetError extends Error {
  override readonly name = 'EmptyDatasetError';
  readonly [marker] = true;
  readonly dataset: string;
  /** Why rows were left out, where there were any. */
  readonly dropped: readonly DroppedField[];

  constructor({ dataset, dropped }: { dataset: string; dropped: readonly DroppedField[] }) {
    const reasons = dropped.map(({ count, reason }) => `${count} × ${reason}`).join('; ');
    super(
      reasons === ''
        ? `nothing fits the filter, so no version of ${dataset} was made. \`lachesis trajectories list\` with the same filter shows what there is.`
        : `every row was left out, so no version of ${dataset} was made: ${reasons}.`,
    );
    this.dataset = dataset;
    this.dropped = dropped;
  }

  static isInstance(error: unknown): error is EmptyDatasetError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
