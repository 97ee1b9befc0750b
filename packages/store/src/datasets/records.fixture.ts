import { makeConversation, makePreference, type ConversationRecord, type PreferenceRecord } from '@lachesis/protocol';

export function createConversation(text: string): ConversationRecord {
  return makeConversation({
    id: text,
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: text },
      { role: 'assistant', content: `about ${text}` },
    ],
  });
}

export function createPreference(text: string): PreferenceRecord {
  return makePreference({
    id: text,
    prompt: [{ role: 'user', content: text }],
    chosen: [{ role: 'assistant', content: 'good' }],
    rejected: [{ role: 'assistant', content: 'bad' }],
  });
}
