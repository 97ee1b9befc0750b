import type { Feedback, FeedbackQuery } from '@lachesis/protocol';
import { listFeedback, listWaiting, withdrawFeedback, type Store } from '@lachesis/store';
import { findFeedbackId, findTrajectoryId, type Named } from './find-by-beginning.ts';

/** Feedback that holds; a trajectory is named by id, its beginning, or key. */
export async function listNamedFeedback(options: {
  store: Store;
  tenantId: string;
  query: FeedbackQuery;
}): Promise<Feedback[]> {
  const { store, tenantId, query } = options;
  const { trajectory_id: ref, author, author_kind: authorKind, kind, since } = query;
  if (query.waiting === true) return await listWaiting({ store, tenantId, author });
  // What nobody has leads to no feedback.
  const trajectoryId = ref === undefined ? undefined : ((await findTrajectoryId({ store, tenantId, ref })) ?? ref);
  return await listFeedback({ store, tenantId, trajectoryId, author, authorKind, kind, since });
}

/** Takes back feedback that is named by its id or the beginning of it; gives the id, or undefined when there is none. */
export async function withdrawNamedFeedback({ store, tenantId, ref }: Named): Promise<string | undefined> {
  const feedbackId = await findFeedbackId({ store, tenantId, ref });
  if (feedbackId === undefined) return undefined;
  await withdrawFeedback({ store, tenantId, feedbackId });
  return feedbackId;
}
