import type { ConversationRecord, PreferenceRecord } from '@lachesis/protocol';

export function createConversation(text: string): ConversationRecord {
  return {
    kind: 'conversation',
    id: text,
    trajectory_id: null,
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: text },
      { role: 'assistant', content: `about ${text}` },
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
  };
}

export function createPreference(text: string): PreferenceRecord {
  return {
    kind: 'preference',
    id: text,
    trajectory_id: null,
    prompt: [{ role: 'user', content: text }],
    chosen: [{ role: 'assistant', content: 'good' }],
    rejected: [{ role: 'assistant', content: 'bad' }],
    tools: null,
    feedback_ids: [],
    tags: [],
    split: 'train',
    weight: 1,
    consent: 'train',
    extra: {},
  };
}
