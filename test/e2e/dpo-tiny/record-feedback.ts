import { randomUUID } from 'node:crypto';

import type { CallRecord, FeedbackInput, ChatMessage } from '@lachesis/protocol';
import { recordCaptures, writeFeedback, type BlobStore, type Store } from '@lachesis/store';

import { otherStyle, toPrompt, toReply, wantedStyle, type Question, type Style } from './corpus.ts';

const TENANT = 'local';

/** Every way a preference is said: each question gets the next one. */
const WAYS = ['thumbs', 'stars', 'edit', 'choice', 'judge'] as const;

/** Records both replies to each question, and what people and a judge say of them. */
export async function recordFeedback(options: {
  store: Store;
  blobs: BlobStore;
  questions: readonly Question[];
  /** Which reply people like. */
  liked?: (question: Question) => Style;
}): Promise<{ feedback: number }> {
  const { store, blobs, questions, liked = wantedStyle } = options;
  let feedback = 0;
  const say = async (input: FeedbackInput): Promise<void> => {
    await writeFeedback({ store, tenantId: TENANT, feedback: input });
    feedback += 1;
  };
  for (const [index, question] of questions.entries()) {
    const way = WAYS[index % WAYS.length]!;
    const good = liked(question);
    const record = (style: Style): Promise<string> =>
      recordCall({ store, blobs, prompt: toPrompt(question), reply: toReply(style) });
    const worse = await record(otherStyle(good));
    const about = { author: 'reader', author_kind: 'person' } as const;
    if (way === 'edit') {
      const edited = toReply(good);
      await say({ ...about, kind: 'edit', trajectory_id: worse, turn_index: 0, edited });
      continue;
    }
    const better = await record(good);
    if (way === 'choice') {
      await say({ ...about, kind: 'choice', trajectory_id: better, over: { trajectory_id: worse } });
    } else if (way === 'thumbs') {
      await say({ ...about, kind: 'thumb', trajectory_id: better, is_up: true });
      await say({ ...about, kind: 'thumb', trajectory_id: worse, is_up: false });
    } else if (way === 'stars') {
      await say({ ...about, kind: 'stars', trajectory_id: better, stars: 5 });
      await say({ ...about, kind: 'stars', trajectory_id: worse, stars: 2 });
    } else {
      const judge = { author: 'judge', author_kind: 'judge' } as const;
      await say({ ...judge, kind: 'score', trajectory_id: better, score: 0.9 });
      await say({ ...judge, kind: 'score', trajectory_id: worse, score: 0.2 });
    }
  }
  return { feedback };
}

async function recordCall(options: {
  store: Store;
  blobs: BlobStore;
  prompt: ChatMessage;
  reply: ChatMessage;
}): Promise<string> {
  const { store, blobs, prompt, reply } = options;
  const at = Date.now();
  const call: CallRecord = {
    ...{ record_id: randomUUID(), recorder: 'dpo-tiny', sequence: 0, trajectory: randomUUID(), at },
    ...{ user: null, tags: [], consent: 'train', metadata: null, kind: 'call', state: 'complete', source: 'openai' },
    ...{ model: 'small', tools: null, sampling: {}, is_stream: false, messages: [prompt] },
    replies: [{ message: reply, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
    ...{ usage: null, cost: null, upstream: null, started_at: at, first_token_at: null, ended_at: at, error: null },
  };
  const [receipt] = await recordCaptures({ store, blobs, tenantId: TENANT, records: [call] });
  if (receipt === undefined) throw new Error('a call was not recorded');
  return receipt.trajectory_id;
}
