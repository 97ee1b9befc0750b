import { LachesisError, type Feedback, type FeedbackInput, type IdSource } from '@lachesis/protocol';
import { dropStaleFeedback, keepWaiting, TrajectoryMissingError, writeFeedback, type Store } from '@lachesis/store';
import { findNamedReply, findTrajectoryId } from './find-by-beginning.ts';
import { missingTrajectory } from './missing-trajectory.ts';

export interface AddFeedbackOptions {
  store: Store;
  ids: IdSource;
  tenantId: string;
  feedback: FeedbackInput;
}

/**
 * Keeps what somebody thinks of a trajectory or a reply, by any of its names. What is not recorded yet is waited for, as
 * an application is often faster than its recorder; a choice is not: a pair is made of both sides.
 */
export async function addFeedback(options: AddFeedbackOptions): Promise<Feedback> {
  const { store, ids, tenantId, feedback } = options;
  const found = await findNamedReply({ store, tenantId, ref: feedback.trajectory_id });
  if (found === undefined) {
    if (feedback.kind === 'choice') throw missingTrajectory(feedback.trajectory_id);
    return (await keepWaiting(options)) ?? (await keepAfterDropping(options));
  }
  const { turnIndex, trajectoryId } = found;
  if (turnIndex !== undefined && (feedback.turn_index ?? turnIndex) !== turnIndex) throw otherTurn(feedback, turnIndex);
  const about = {
    ...feedback,
    trajectory_id: trajectoryId,
    ...(turnIndex === undefined ? {} : { turn_index: turnIndex }),
  };
  if (about.kind !== 'choice') return await write({ store, tenantId, feedback: about, ids });
  const over = await findTrajectoryId({ store, tenantId, ref: about.over.trajectory_id });
  if (over === undefined) throw missingTrajectory(about.over.trajectory_id);
  return await write({ store, tenantId, feedback: { ...about, over: { ...about.over, trajectory_id: over } }, ids });
}

async function keepAfterDropping(options: AddFeedbackOptions): Promise<Feedback> {
  await dropStaleFeedback(options);
  const kept = await keepWaiting(options);
  if (kept !== undefined) return kept;
  throw new LachesisError({
    code: 'back-pressure',
    message: 'too much feedback waits for replies that are not recorded; this one was not kept',
    hint: '`lachesis feedback list --waiting` shows what waits. Is the name the one of the reply, and does its recorder send?',
    retryAfterSeconds: 60,
  });
}

const otherTurn = ({ trajectory_id: name, turn_index: given }: FeedbackInput, turnIndex: number): LachesisError =>
  new LachesisError({
    code: 'bad-request',
    message: `${JSON.stringify(name.slice(0, 100))} is turn ${turnIndex}, and turn ${String(given)} was given`,
    hint: 'Leave turn_index out where a reply is named.',
  });

/** One that is forgotten in between is missing too. */
async function write(options: AddFeedbackOptions): Promise<Feedback> {
  try {
    return await writeFeedback(options);
  } catch (error) {
    throw TrajectoryMissingError.isInstance(error) ? missingTrajectory(error.trajectoryId) : error;
  }
}
