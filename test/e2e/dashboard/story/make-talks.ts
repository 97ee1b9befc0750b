import type { CallRecord } from '@lachesis/protocol';
import { randomUUID } from 'node:crypto';

/** Each task was done twice, and differently: enough to rate ten by hand and ten by keys, and to choose between two. */
const TASKS = 14;
const BEGAN = 1_790_000_000_000;

/** What was asked, and what came back. */
export interface Talk extends Partial<Pick<CallRecord, 'metadata' | 'model' | 'sampling' | 'tags' | 'user'>> {
  readonly trajectory: string;
  readonly messages: CallRecord['messages'];
  readonly reply: CallRecord['replies'][number];
}

let made = 0;

/** A call as an application records it, with leave to learn from it. */
export function makeTalk({ reply, ...talk }: Talk): CallRecord {
  const id = randomUUID();
  const at = BEGAN + made++ * 1_000;
  return {
    ...{ record_id: id, recorder: `app-${id}`, sequence: 0 },
    ...{ at, user: 'ada', tags: ['shop'], consent: 'train', metadata: null },
    ...{ kind: 'call', state: 'complete', source: 'shop', model: 'toy' },
    ...{ tools: null, sampling: {}, is_stream: false, replies: [reply] },
    ...{ usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 }, cost: null, upstream: null },
    ...{ started_at: at, first_token_at: null, ended_at: at + 500, error: null },
    ...talk,
  };
}

/** What an application recorded: talks of two people, tagged, with what they allow. */
export const makeTalks = (): CallRecord[] =>
  Array.from({ length: TASKS * 2 }, (_, index) => {
    const task = Math.floor(index / 2);
    const isFirst = index % 2 === 0;
    return makeTalk({
      ...{ trajectory: `talk-${index}`, user: isFirst ? 'ada' : 'grace', tags: ['shop', `task-${task}`] },
      ...{ metadata: { plan: 'free', task }, messages: [{ role: 'user', content: `What do ${task} and two make?` }] },
      reply: {
        message: { role: 'assistant', content: isFirst ? String(task + 2) : 'Some.' },
        ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
      },
    });
  });
