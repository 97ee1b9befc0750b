import type { ConversationRecord, PreferenceRecord } from './record.ts';

/** A conversation of which nothing is said but its messages. */
export function makeConversation(
  given: Pick<ConversationRecord, 'id' | 'messages'> & Partial<ConversationRecord>,
): ConversationRecord {
  return {
    kind: 'conversation',
    trajectory_id: null,
    tools: null,
    model: null,
    timestamp: null,
    completed: true,
    partial: false,
    reward: null,
    rating: null,
    tags: [],
    split: 'train',
    weight: 1,
    consent: 'train',
    tokens: null,
    extra: {},
    ...given,
  };
}

/** A pair of which nothing is said but its messages. */
export function makePreference(
  given: Pick<PreferenceRecord, 'id' | 'prompt' | 'chosen' | 'rejected'> & Partial<PreferenceRecord>,
): PreferenceRecord {
  return {
    kind: 'preference',
    trajectory_id: null,
    tools: null,
    feedback_ids: [],
    tags: [],
    split: 'train',
    weight: 1,
    consent: 'train',
    extra: {},
    ...given,
  };
}
