import type { ChatMessage, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { StripCell } from '../src/reading/groups/read-cells.ts';
import type { TokenColumns } from '../src/reading/tokens/token-columns.ts';
import { piecesOfBytes } from '../src/reading/tokens/token-pieces.ts';

const WORDS =
  'The answer is that a policy which was sampled from drifts while the trainer goes on, so we look at each 名前 token é and 🙂 its ratio .\n'.split(
    /(?<= )/u,
  );

/** The same each time, so that two runs measure the same. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Tokens as the server packs them: bytes of the text, and where each begins. Some are a part of a character. */
export function makeTokens(count: number): TokenColumns {
  const random = createRandom(7);
  const encoder = new TextEncoder();
  const words = WORDS.map((word) => encoder.encode(word));
  const offsets = new Uint32Array(count + 1);
  let bytes = new Uint8Array(Math.max(64, count * 6));
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    const word = words[Math.floor(random() * words.length)] ?? new Uint8Array();
    // Now and then two tokens share a character.
    const isCut = word.length > 3 && (word[0] ?? 0) >= 0xe0 && index + 1 < count;
    if (end + word.length > bytes.length) {
      const more = new Uint8Array(bytes.length * 2);
      more.set(bytes);
      bytes = more;
    }
    bytes.set(word, end);
    if (isCut) {
      offsets[index + 1] = end + 1;
      index += 1;
    }
    end += word.length;
    offsets[index + 1] = end;
  }
  const sampler = new Float32Array(count);
  const trainer = new Float32Array(count);
  const mask = new Uint8Array(count);
  const ids = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    ids[index] = Math.floor(random() * 150_000);
    const isTrained = index > count / 20 && Math.floor(index / 400) % 4 !== 0;
    mask[index] = isTrained ? 1 : 0;
    sampler[index] = isTrained ? -Math.min(12, -Math.log(1 - random()) * (random() < 0.1 ? 4 : 0.4)) : Number.NaN;
    trainer[index] = (sampler[index] ?? 0) + (random() - 0.5) * (random() < 0.05 ? 2 : 0.05);
  }
  const advantages = Float32Array.from(mask, (isTrained, index) =>
    isTrained === 1 ? Math.sin(index / 3_000) : Number.NaN,
  );
  const third = Math.floor(count / 3);
  return {
    length: count,
    ids,
    pieces: piecesOfBytes(bytes.subarray(0, end), offsets),
    ...{ sampler, trainer, mask, advantages },
    versions: [
      [0, third, 11],
      [third, third * 2, 12],
      [third * 2, count, 13],
    ],
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

export function makeCells(group: number, rollouts: number): StripCell[] {
  const random = createRandom(group + 1);
  return Array.from({ length: rollouts }, (_, rollout) => {
    const isUnscored = random() < 0.05;
    return {
      ...{ rollout, sequence: rollout, sequences: 1, length: Math.floor(random() * 8_192) },
      score: isUnscored ? null : random(),
      advantage: isUnscored ? null : random() - 0.5,
      outcome: isUnscored ? { shape: '✕', word: 'no score' } : { shape: '●', word: 'trained' },
    };
  });
}

function say(random: () => number, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '').join('');
}
