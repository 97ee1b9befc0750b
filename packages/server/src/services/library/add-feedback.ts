import type { Feedback, FeedbackInput, IdSource } from '@lachesis/protocol';
import { readTrajectory, TrajectoryMissingError, writeFeedback, type BlobStore, type Store } from '@lachesis/store';

export interface AddFeedbackOptions {
  store: Store;
  blobs: BlobStore;
  ids: IdSource;
  tenantId: string;
  feedback: FeedbackInput;
}

/** Keeps what somebody thinks. Throws a TrajectoryMissingError that names what is not there, of a choice also the other side. */
export async function addFeedback(options: AddFeedbackOptions): Promise<Feedback> {
  const { store, blobs, ids, tenantId, feedback } = options;
  if (feedback.kind === 'choice') {
    // The one it is better than must be there too: a pair is made of both.
    const { trajectory_id: trajectoryId } = feedback.over;
    if ((await readTrajectory({ store, blobs, tenantId, trajectoryId })) === undefined)
      throw new TrajectoryMissingError({ trajectoryId });
  }
  return await writeFeedback({ store, tenantId, feedback, ids });
}
