import type { ChatMessage, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';

export const WORDS =
  'The answer is that a policy which was sampled from drifts while the trainer goes on, so we look at each 名前 token é and 🙂 its ratio .\n'.split(
    /(?<= )/u,
  );

/** The same each time, so that two runs measure the same. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Turns of an agent that thinks, calls a tool and is sometimes refused. */
export function makeTurns(count: number): TrajectoryTurn[] {
  const random = createRandom(3);
  return Array.from({ length: count }, (_, index) => ({
    ...{
      turn_id: `turn-${index}`,
      turn_index: index,
      kind: 'call' as const,
      tools: null,
      sampling: null,
      model: 'toy',
    },
    parent_index: index === 0 ? null : index % 997 === 0 ? index - 2 : index - 1,
    kept_messages: index * 2,
    state: index % 499 === 0 ? ('failed' as const) : ('complete' as const),
    messages:
      index === 0
        ? [{ role: 'user', content: say(random, 60) }]
        : [{ role: 'tool', tool_call_id: `call-${index - 1}`, content: say(random, 30) }],
    replies: [
      {
        message: {
          role: 'assistant',
          content: `<think>${say(random, 80)}</think>${say(random, Math.floor(random() * 120))}`,
          tool_calls: [
            {
              id: `call-${index}`,
              type: 'function',
              function: { name: 'search', arguments: `{"query":"${say(random, 5)}"}` },
            },
          ],
        },
        ...{ finish_reason: 'tool_calls', tokens: null, tokens_missing: null },
      },
    ],
    ...{ upstream: null, usage: null, cost: null, is_stream: false, started_at: 0, first_token_at: null, ended_at: 0 },
    error: index % 499 === 498 ? { message: 'the upstream is busy', status: 429 } : null,
  }));
}

/** A conversation in two versions, of which every twentieth message differs by a few words. */
export function makeMessages(count: number, version: number): ChatMessage[] {
  const random = createRandom(5);
  return Array.from({ length: count }, (_, index) => {
    const text = say(random, 80);
    return {
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: index % 20 === 9 ? `${text} version ${version}` : text,
    };
  });
}

export function makeSummary(index: number): TrajectorySummary {
  return {
    ...{ trajectory_id: `t${index}`, key: null, run_id: null, source: 'gateway', model: 'support@3', user: null },
    title: `How do I return order ${index}?`,
    outcome: index % 7 === 0 ? 'failed' : 'scored',
    ...{
      reason: null,
      reward: index % 7 === 0 ? null : (index % 100) / 100,
      rating: null,
      split: 'train',
      consent: 'train',
      tags: [],
    },
    ...{
      turn_count: (index % 12) + 1,
      tool_call_count: 0,
      error_count: 0,
      token_count: 900,
      completion_tokens: 300,
      cost: null,
    },
    ...{
      has_tokens: true,
      missing_records: 0,
      started_at: 0,
      updated_at: 1_790_000_000_000 + index * 1_000,
      ended_at: null,
    },
  };
}

function say(random: () => number, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '').join('');
}
