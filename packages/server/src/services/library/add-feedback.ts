import type { Feedback, FeedbackInput, IdSource } from '@lachesis/protocol';
import { TrajectoryMissingError, writeFeedback, type Store } from '@lachesis/store';
import { findTrajectoryId } from './find-by-beginning.ts';
import { missingTrajectory } from './missing-trajectory.ts';

export interface AddFeedbackOptions {
  store: Store;
  ids: IdSource;
  tenantId: string;
  feedback: FeedbackInput;
}

/**
 * Keeps what somebody thinks; trajectories are named by id, its beginning, or key. Refuses with the name of
 * what is not there, of a choice also the other side: a pair is made of both.
 */
export async function addFeedback(options: AddFeedbackOptions): Promise<Feedback> {
  const { store, ids, tenantId, feedback } = options;
  const need = async (ref: string): Promise<string> => {
    const trajectoryId = await findTrajectoryId({ store, tenantId, ref });
    if (trajectoryId === undefined) throw missingTrajectory(ref);
    return trajectoryId;
  };
  const about = { ...feedback, trajectory_id: await need(feedback.trajectory_id) };
  if (about.kind !== 'choice') return await write({ store, tenantId, feedback: about, ids });
  const over = { ...about.over, trajectory_id: await need(about.over.trajectory_id) };
  return await write({ store, tenantId, feedback: { ...about, over }, ids });
}

/** One that is forgotten in between is missing too. */
async function write(options: AddFeedbackOptions): Promise<Feedback> {
  try {
    return await writeFeedback(options);
  } catch (error) {
    throw TrajectoryMissingError.isInstance(error) ? missingTrajectory(error.trajectoryId) : error;
  }
}
