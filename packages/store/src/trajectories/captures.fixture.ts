import { randomUUID } from 'node:crypto';
import type { CallRecord, EndRecord, MessagesRecord, ChatMessage } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import { BlobMissingError } from '../errors/blob-errors.ts';

export const user = (content: string): ChatMessage => ({ role: 'user', content });
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

const envelope = {
  recorder: 'test',
  sequence: 0,
  trajectory: null,
  at: 1_700_000_000_000,
  user: null,
  tags: [],
  consent: 'train',
  metadata: null,
} as const;

/** A call that was answered. */
export function createCall(
  changes: Partial<CallRecord> & { messages: ChatMessage[]; reply?: ChatMessage | undefined },
): CallRecord {
  const { reply = assistant('fine'), ...rest } = changes;
  const at = rest.at ?? envelope.at;
  return {
    ...envelope,
    tags: [],
    record_id: randomUUID(),
    kind: 'call',
    state: 'complete',
    source: 'openai',
    model: 'small',
    tools: null,
    sampling: {},
    is_stream: false,
    replies: [{ message: reply, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    cost: 0.5,
    upstream: 'api.example.com',
    started_at: at,
    first_token_at: null,
    ended_at: at + 5,
    error: null,
    ...rest,
  };
}

export function createMessages(changes: Partial<MessagesRecord> & { messages: ChatMessage[] }): MessagesRecord {
  return {
    ...envelope,
    tags: [],
    record_id: randomUUID(),
    kind: 'messages',
    source: 'app',
    model: null,
    tools: null,
    ...changes,
  };
}

export function createEnd(changes: Partial<EndRecord>): EndRecord {
  return {
    ...envelope,
    tags: [],
    record_id: randomUUID(),
    kind: 'end',
    outcome: 'scored',
    reward: 1,
    reason: null,
    ...changes,
  };
}

/** Blobs that last as long as the test. */
export function createMemoryBlobs(): BlobStore & { files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    async put(digest, bytes) {
      files.set(digest, bytes);
    },
    async get(digest) {
      const bytes = files.get(digest);
      if (bytes === undefined) throw new BlobMissingError({ digest });
      return bytes;
    },
    async remove(digest) {
      files.delete(digest);
    },
    async *list() {
      for (const [digest, bytes] of files) yield { digest, bytes: bytes.byteLength, modifiedAtMs: 0 };
    },
  };
}
