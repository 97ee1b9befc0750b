import type { RecordTrainingResult } from './training-memory.ts';
import type { TrainOnRecordsOptions } from './training.ts';
import type { RerolledNegatives, RerollLoneNegativesOptions } from './reroll-lone-negatives.ts';

/** Trains on a version of a data set, from where an earlier process with the same run name stopped. */
export async function trainOnRecords(options: TrainOnRecordsOptions): Promise<RecordTrainingResult> {
  // Loaded when it is asked for: parents of stations come through the same entry, and stay small without store and engine.
  const { trainOnRecords: train } = await import('./training.ts');
  return train(options);
}

/** Gives disliked replies a better one beside them, and makes a data set of the pairs. */
export async function rerollLoneNegatives(options: RerollLoneNegativesOptions): Promise<RerolledNegatives> {
  const { rerollLoneNegatives: reroll } = await import('./reroll-lone-negatives.ts');
  return reroll(options);
}
