import { makeConversation, makePreference, type ConversationRecord, type PreferenceRecord } from '@lachesis/protocol';

/** A conversation with nothing special; a test says what is special. */
export function sampleConversation(changes: Partial<ConversationRecord> = {}): ConversationRecord {
  return makeConversation({
    id: 'row',
    messages: [
      { role: 'user', content: 'What is 6 × 7?' },
      { role: 'assistant', content: '42' },
    ],
    ...changes,
  });
}

export function samplePreference(changes: Partial<PreferenceRecord> = {}): PreferenceRecord {
  return makePreference({
    id: 'pair',
    prompt: [{ role: 'user', content: 'What is 6 × 7?' }],
    chosen: [{ role: 'assistant', content: '42' }],
    rejected: [{ role: 'assistant', content: '41' }],
    feedback_ids: ['f'],
    ...changes,
  });
}
