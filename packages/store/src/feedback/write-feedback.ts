import { hash } from 'node:crypto';
import { createIdSource, feedbackValue } from '@lachesis/protocol';
import type { Feedback, FeedbackInput, IdSource } from '@lachesis/protocol';
import type { Store, WriteStatement } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { TrajectoryMissingError } from '../errors/library-errors.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import { toFeedback } from './feedback-row.ts';
import { refreshRating } from './refresh-rating.ts';

/** Each failed try means that the same author wrote under the same key. */
const MAX_TRIES = 10;

export interface WriteFeedbackOptions {
  store: Store;
  tenantId: string;
  feedback: FeedbackInput;
  ids?: IdSource;
  /** When it was said, where that was before now: what the same author said since then stands. */
  saidAt?: number;
  /** Goes into the same commit. */
  besides?: readonly WriteStatement[];
}

/**
 * Keeps what somebody said. The same said again is the feedback that is there; something else under the same key
 * revises it. Die after the commit: said again, it is found.
 */
export async function writeFeedback(options: WriteFeedbackOptions): Promise<Feedback> {
  const { store, tenantId, feedback, ids = createIdSource(), saidAt, besides = [] } = options;
  const { db, dialect } = store;
  const content = toCanonicalJson(feedback as JsonValue);
  const key = feedback.key ?? createKey(feedback, content);
  const trajectoryId = feedback.trajectory_id;
  await assertTrajectory(store, tenantId, trajectoryId);
  for (let tries = 1; ; tries += 1) {
    const latest = await db
      .selectFrom('feedback')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('author', '=', feedback.author)
      .where('key', '=', key)
      .orderBy('revision', 'desc')
      .limit(1)
      .executeTakeFirst();
    const isSaid = latest?.content === content && latest.withdrawn_at === null;
    const isOverruled = saidAt !== undefined && latest !== undefined && latest.created_at > saidAt;
    if (latest !== undefined && (isSaid || isOverruled)) {
      if (besides.length > 0) await store.commit({ statements: besides });
      return toFeedback(latest);
    }
    const row = {
      tenant_id: tenantId,
      feedback_id: ids.next(),
      trajectory_id: trajectoryId,
      turn_index: feedback.turn_index ?? null,
      author: feedback.author,
      author_kind: feedback.author_kind,
      key,
      revision: latest === undefined ? 0 : latest.revision + 1,
      kind: feedback.kind,
      value: feedbackValue(feedback),
      content,
      revises: latest?.feedback_id ?? null,
      created_at: await store.now(),
      withdrawn_at: null,
    };
    const trajectories = new Set([trajectoryId, latest?.trajectory_id ?? trajectoryId]);
    try {
      await store.commit({
        statements: [
          ...besides,
          insertRow({ dialect, table: 'feedback', row, expectRows: 1 }),
          ...[...trajectories].sort().flatMap((id) => refreshRating({ store, tenantId, trajectoryId: id })),
        ],
      });
      return toFeedback(row);
    } catch (error) {
      if (!StoreConflictError.isInstance(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Without a key of its own: one opinion of a kind about one thing. Of texts and choices an author may have many. */
export function createKey(feedback: FeedbackInput, content: string): string {
  if (feedback.kind === 'text' || feedback.kind === 'choice') return `content ${hash('sha256', content, 'hex')}`;
  const rubric = feedback.kind === 'score' ? (feedback.rubric ?? '') : '';
  return JSON.stringify([feedback.kind, feedback.trajectory_id, feedback.turn_index ?? null, rubric]);
}

async function assertTrajectory({ db }: Store, tenantId: string, trajectoryId: string): Promise<void> {
  const row = await db
    .selectFrom('trajectories')
    .select('trajectory_id')
    .where('tenant_id', '=', tenantId)
    .where('trajectory_id', '=', trajectoryId)
    .executeTakeFirst();
  if (row === undefined) throw new TrajectoryMissingError({ trajectoryId });
}
