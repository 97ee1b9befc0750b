import type { CaptureRecord } from '@lachesis/protocol';

/** Each task was done twice, and differently: enough to rate ten by hand and ten by keys, and to choose between two. */
const TASKS = 14;
const BEGAN = 1_790_000_000_000;

/** What an application recorded: talks of two people, tagged, with what they allow. */
export function makeTalks(): CaptureRecord[] {
  return Array.from({ length: TASKS * 2 }, (_, index) => {
    const task = Math.floor(index / 2);
    const at = BEGAN + index * 1_000;
    return {
      ...{
        record_id: `0192aaaa-0000-7000-8000-${String(index).padStart(12, '0')}`,
        recorder: `app-${index}`,
        sequence: 0,
      },
      ...{ trajectory: `talk-${index}`, at, user: index % 2 === 0 ? 'ada' : 'grace', tags: ['shop', `task-${task}`] },
      ...{
        consent: 'train',
        metadata: { plan: 'free', task },
        kind: 'call',
        state: 'complete',
        source: 'shop',
        model: 'toy',
      },
      ...{
        messages: [{ role: 'user', content: `What do ${task} and two make?` }],
        tools: null,
        sampling: {},
        is_stream: false,
      },
      replies: [
        {
          message: { role: 'assistant', content: index % 2 === 0 ? String(task + 2) : 'Some.' },
          ...{ finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' },
        },
      ],
      ...{ usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 }, cost: null, upstream: null },
      ...{ started_at: at, first_token_at: null, ended_at: at + 500, error: null },
    } satisfies CaptureRecord;
  });
}
