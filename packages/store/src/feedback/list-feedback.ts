import type { FeedbackInput, Feedback } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { toFeedback } from './feedback-row.ts';

type AuthorKind = FeedbackInput['author_kind'];
type FeedbackKind = FeedbackInput['kind'];

export interface ListFeedbackOptions {
  store: Store;
  tenantId: string;
  trajectoryId?: string | undefined;
  author?: string | undefined;
  authorKind?: AuthorKind | undefined;
  kind?: FeedbackKind | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  /** With what was revised and withdrawn. Default: what holds. */
  withHistory?: boolean;
}

/** What was said, the oldest first. */
export async function listFeedback(options: ListFeedbackOptions): Promise<Feedback[]> {
  const { store, tenantId, trajectoryId, author, authorKind, kind, since, withHistory = false } = options;
  let query = store.db.selectFrom('feedback as f').selectAll('f').where('f.tenant_id', '=', tenantId);
  if (trajectoryId !== undefined) query = query.where('f.trajectory_id', '=', trajectoryId);
  if (author !== undefined) query = query.where('f.author', '=', author);
  if (authorKind !== undefined) query = query.where('f.author_kind', '=', authorKind);
  if (kind !== undefined) query = query.where('f.kind', '=', kind);
  if (since !== undefined) query = query.where('f.created_at', '>=', since);
  if (!withHistory) {
    query = query
      .where('f.withdrawn_at', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('feedback as n')
              .select('n.feedback_id')
              .whereRef('n.tenant_id', '=', 'f.tenant_id')
              .whereRef('n.revises', '=', 'f.feedback_id'),
          ),
        ),
      );
  }
  const rows = await query.orderBy('f.created_at').orderBy('f.feedback_id').execute();
  return rows.map((row) => toFeedback(row));
}
