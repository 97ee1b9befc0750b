import type { ChatMessage, TrajectoryDetail, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';

/* Made-up trajectories for tests. */

export function makeSummary(fields: Partial<TrajectorySummary> = {}): TrajectorySummary {
  return {
    trajectory_id: '0192aaaa-0000-7000-8000-000000000001',
    key: null,
    run_id: null,
    source: 'gateway',
    model: 'toy',
    user: null,
    title: 'What is the weather?',
    outcome: null,
    reason: null,
    reward: null,
    rating: null,
    split: 'train',
    consent: 'train',
    tags: [],
    turn_count: 1,
    tool_call_count: 0,
    error_count: 0,
    token_count: null,
    completion_tokens: 3,
    cost: null,
    has_tokens: false,
    missing_records: 0,
    started_at: 0,
    updated_at: 0,
    ended_at: null,
    ...fields,
  };
}

export function makeTurn(
  index: number,
  messages: ChatMessage[],
  reply: ChatMessage | undefined,
  fields: Partial<TrajectoryTurn> = {},
): TrajectoryTurn {
  return {
    turn_id: `turn-${index}`,
    turn_index: index,
    parent_index: index === 0 ? null : index - 1,
    kept_messages: 0,
    kind: 'call',
    state: 'complete',
    messages,
    tools: null,
    sampling: null,
    replies:
      reply === undefined
        ? []
        : [{ message: reply, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
    model: 'toy',
    upstream: null,
    usage: null,
    cost: null,
    is_stream: false,
    error: null,
    started_at: 0,
    first_token_at: null,
    ended_at: 0,
    ...fields,
  };
}

export function makeDetail(turns: TrajectoryTurn[], fields: Partial<TrajectorySummary> = {}): TrajectoryDetail {
  return { summary: makeSummary({ turn_count: turns.length, ...fields }), turns, gaps: [] };
}

/** Two turns with a tool between them. */
export function makeToolRun(city = 'Paris', answer = 'Sunny.'): TrajectoryDetail {
  const call = {
    id: `call-${city}`,
    type: 'function',
    function: { name: 'weather', arguments: `{"city": "${city}"}` },
  };
  return makeDetail([
    makeTurn(0, [{ role: 'user', content: 'What is the weather?' }], {
      role: 'assistant',
      content: '<think>I should look it up.\nThen answer.</think>',
      tool_calls: [call],
    }),
    makeTurn(
      1,
      [{ role: 'tool', tool_call_id: call.id, content: '{"sky": "clear"}' }],
      { role: 'assistant', content: answer },
      { kept_messages: 2 },
    ),
  ]);
}
