import type { CaptureRecord, ChatMessage, TrajectorySummary } from '@lachesis/protocol';

/** What is known of a trajectory before it is stored: the answer to every query is computed from these. */
export interface CaseFacts {
  number: number;
  isForeign: boolean;
  model: string;
  user: string;
  tags: string[];
  tools: string[];
  reward: number | undefined;
  turns: number;
  tokens: number;
  hasError: boolean;
  updatedAt: number;
  /** Ranks of the words that were said. */
  words: Uint16Array;
}

export const WORD_COUNT = 20_000;
export const FIRST_MS = 1_750_000_000_000;
export const MODELS = ['sparrow-1', 'sparrow-2', 'heron-8b', 'heron-70b', 'gull', 'stork-mini', 'crane', 'rare-ibis'];
const TOOLS = Array.from({ length: 25 }, (_, index) => `tool_t${index}`);
const TAGS = Array.from({ length: 40 }, (_, index) => `tag-${index}`);

/** A small generator of numbers from 0 to 1, the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A word for each rank, pronounceable and all different. */
export function spell(rank: number): string {
  const consonants = 'bdfgklmnprstvz';
  const vowels = 'aeiou';
  let word = '';
  let left = rank;
  do {
    word += consonants[left % 14]! + vowels[Math.floor(left / 14) % 5]!;
    left = Math.floor(left / 70);
  } while (left > 0);
  return `${word}n`;
}

/** Trajectories as agents make them: some words and models are everywhere, most are rare. */
export function createCases(random: () => number): (number: number) => { facts: CaseFacts; records: CaptureRecord[] } {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() ** 2 * items.length)]!;
  // Few words make most of a text: the ranks follow a steep curve.
  const rank = (): number => Math.floor(random() ** 4 * WORD_COUNT);
  let streamSequence = 0;
  return (number) => {
    const words: number[] = [];
    const say = (length: number): string =>
      Array.from({ length }, () => {
        const next = rank();
        words.push(next);
        return spell(next);
      }).join(' ');
    const isForeign = random() < 0.02;
    const isKeyed = random() < 0.5;
    const turns = random() < 0.6 ? 1 : random() < 0.7 ? 2 : 3;
    const hasError = random() < 0.03;
    const [model, user] = [pick(MODELS), `user-${Math.floor(random() ** 2 * 2000)}`];
    const tags = random() < 0.4 ? [pick(TAGS)] : [];
    const tools: string[] = [];
    const reward = random() < 0.5 ? Math.round(random() * 1000) / 1000 : undefined;
    const records: CaptureRecord[] = [];
    const messages: ChatMessage[] = [{ role: 'user', content: `case ${number} ${say(12)}` }];
    let tokens = 0;
    let at = FIRST_MS + number * 1000;
    const envelope = () => ({
      record_id: createUuid(random),
      recorder: isForeign ? 'foreign' : 'bench',
      sequence: isKeyed ? records.length : streamSequence++,
      trajectory: isKeyed ? `key-${number}` : null,
      at,
      user,
      tags,
      consent: 'train' as const,
      metadata: null,
    });
    for (let turn = 0; turn < turns; turn += 1) {
      const isFailed = hasError && turn === turns - 1;
      const reply: ChatMessage = { role: 'assistant', content: say(20) };
      if (turn < turns - 1 && random() < 0.5) {
        const name = pick(TOOLS);
        if (!tools.includes(name)) tools.push(name);
        reply.tool_calls = [
          { id: `c${number}x${turn}`, type: 'function', function: { name, arguments: '{"limit": 5}' } },
        ];
      }
      tokens = 20 + turn * 60 + Math.floor(random() * 4000);
      records.push({
        ...envelope(),
        kind: 'call',
        state: isFailed ? 'failed' : 'complete',
        source: 'gateway',
        model,
        messages: [...messages],
        tools: null,
        sampling: { temperature: 0.7 },
        is_stream: false,
        replies: isFailed
          ? []
          : [{ message: reply, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
        usage: { prompt_tokens: tokens - 20, completion_tokens: 20, total_tokens: tokens },
        cost: null,
        upstream: 'upstream.example',
        started_at: at - 200,
        first_token_at: null,
        ended_at: at,
        error: isFailed ? { message: 'overloaded', status: 529 } : null,
      });
      at += 10;
      messages.push(reply, { role: reply.tool_calls ? 'tool' : 'user', content: say(10) });
    }
    if (reward !== undefined && isKeyed) {
      records.push({ ...envelope(), kind: 'end', outcome: 'scored', reward, reason: null });
      at += 10;
    }
    // The last message was made for a call that never came, and the reply of a failed call was never given.
    const unsaid = 10 + (hasError ? 20 : 0);
    return {
      facts: {
        number,
        isForeign,
        model,
        user,
        tags,
        tools,
        reward: isKeyed ? reward : undefined,
        turns,
        tokens,
        hasError,
        updatedAt: at - 10,
        words: Uint16Array.from(words.slice(0, words.length - unsaid)),
      },
      records,
    };
  };
}

/** The number a case was made with. */
export function readCaseNumber({ title }: TrajectorySummary): number {
  return Number(/^case (\d+)/.exec(title)?.[1] ?? -1);
}

export { TAGS, TOOLS };

function createUuid(random: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 4_294_967_296)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
