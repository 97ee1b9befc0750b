import type { Feedback } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { writeSql } from '../database/write-row.ts';
import { toFeedback } from './feedback-row.ts';
import { refreshRating } from './refresh-rating.ts';
import { dropWaiting } from './waiting-feedback.ts';

/** Takes feedback back; its row stays and says when. Undefined when there is none of that id. */
export async function withdrawFeedback(options: {
  store: Store;
  tenantId: string;
  feedbackId: string;
}): Promise<Feedback | undefined> {
  const { store, tenantId, feedbackId } = options;
  const find = () =>
    store.db
      .selectFrom('feedback')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('feedback_id', '=', feedbackId)
      .executeTakeFirst();
  const row = await find();
  if (row === undefined) return await dropWaiting(options);
  if (row.withdrawn_at !== null) return toFeedback(row);
  await store.commit({
    statements: [
      writeSql({
        dialect: store.dialect,
        text: 'update feedback set withdrawn_at = ? where tenant_id = ? and feedback_id = ? and withdrawn_at is null',
        parameters: [await store.now(), tenantId, feedbackId],
      }),
      ...refreshRating({ store, tenantId, trajectoryId: row.trajectory_id }),
    ],
  });
  const written = await find();
  return written === undefined ? undefined : toFeedback(written);
}
