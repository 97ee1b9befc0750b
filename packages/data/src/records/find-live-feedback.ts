import type { Feedback } from '@lachesis/protocol';

/** What still holds: not withdrawn, and revised by nothing that holds. */
export function findLiveFeedback(feedback: readonly Feedback[]): Feedback[] {
  const revised = new Set(feedback.flatMap(({ revises }) => (revises === null ? [] : [revises])));
  return feedback.filter(({ feedback_id, withdrawn_at }) => withdrawn_at === null && !revised.has(feedback_id));
}
