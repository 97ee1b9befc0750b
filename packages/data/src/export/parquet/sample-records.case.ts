import type { ConversationRecord, PreferenceRecord } from '@lachesis/protocol';

/** A conversation with nothing special; a test says what is special. */
export function sampleConversation(changes: Partial<ConversationRecord> = {}): ConversationRecord {
  return {
    kind: 'conversation',
    id: 'row',
    trajectory_id: null,
    messages: [
      { role: 'user', content: 'What is 6 × 7?' },
      { role: 'assistant', content: '42' },
    ],
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
    ...changes,
  };
}

export function samplePreference(changes: Partial<PreferenceRecord> = {}): PreferenceRecord {
  return {
    kind: 'preference',
    id: 'pair',
    trajectory_id: null,
    prompt: [{ role: 'user', content: 'What is 6 × 7?' }],
    chosen: [{ role: 'assistant', content: '42' }],
    rejected: [{ role: 'assistant', content: '41' }],
    tools: null,
    feedback_ids: ['f'],
    tags: [],
    split: 'train',
    weight: 1,
    consent: 'train',
    extra: {},
    ...changes,
  };
}
