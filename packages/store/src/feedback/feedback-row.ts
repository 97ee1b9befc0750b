import type { Feedback, FeedbackInput } from '@lachesis/protocol';
import type { FeedbackTable } from '../schema/library.ts';

export function toFeedback(row: FeedbackTable): Feedback {
  return {
    feedback_id: row.feedback_id,
    feedback: JSON.parse(row.content) as FeedbackInput,
    value: row.value,
    revises: row.revises,
    created_at: row.created_at,
    withdrawn_at: row.withdrawn_at,
  };
}
