import type { CaptureRecord, ChatMessage } from '@lachesis/protocol';
import { recordCaptures, writeFeedback, type Home } from '@lachesis/store';
import { TOPICS, type Topic } from './content/chats.ts';
import { createDice, pick, type Dice } from './dice.ts';

export interface RecordChatsOptions {
  home: Pick<Home, 'blobs' | 'store'>;
  count: number;
  now: number;
  /** Who rates them; the first one all that are rated, the others some. */
  people: readonly string[];
  /** How many of them nobody has rated yet, from 0 to 1. */
  unrated: number;
  /** How many ended with an error, from 0 to 1. */
  failing: number;
}

/** The models of the shop: ours has a price, the other has none. */
export const CHAT_MODELS = { own: 'tiny', other: 'other/large' } as const;

const TENANT = 'local';
const CUSTOMERS = ['ann', 'bo', 'chidi', 'dara', 'emre', 'fay'];
/** At most so many in one commit. */
const CHUNK = 500;
/** A chat some five hours after the other, and closer where there are many. */
const longestGap = 5 * 3_600_000;
const SPAN_MS = 30 * 24 * 3_600_000;

/** What an application recorded of its chats, and what people and a judge think of them. Each question was answered twice. */
export async function recordChats(options: RecordChatsOptions): Promise<string[]> {
  const { home, count, now } = options;
  const dice = createDice('chats');
  const gap = Math.min(longestGap, SPAN_MS / count);
  const chats = Array.from({ length: count }, (_, index) => describeChat(index, now - index * gap, options, dice));
  const ids: string[] = [];
  for (let start = 0; start < chats.length; start += CHUNK) {
    const part = chats.slice(start, start + CHUNK);
    const records = part.flatMap(({ records: own }) => own);
    const receipts = await recordCaptures({ ...home, tenantId: TENANT, records });
    const found = new Map(records.map(({ trajectory }, index) => [trajectory, receipts[index]?.trajectory_id ?? '']));
    ids.push(...found.values());
  }
  await rateChats(options, chats, ids, dice);
  return ids;
}

interface Chat {
  records: CaptureRecord[];
  isGood: boolean;
  hasFailed: boolean;
}

function describeChat(index: number, at: number, { failing }: RecordChatsOptions, dice: Dice): Chat {
  const task = Math.floor(index / 2);
  const topic = numbered(TOPICS[task % TOPICS.length] as Topic, 1_042 + task);
  const isGood = dice() < (index % 2 === 0 ? 0.75 : 0.4);
  const hasFailed = dice() < failing;
  const isOther = task % 6 === 5;
  const model = isOther ? CHAT_MODELS.other : CHAT_MODELS.own;
  const asked: ChatMessage[] = [
    { role: 'system', content: 'You answer customers of a small shop: short, exact, and kind.' },
    { role: 'user', content: topic.question },
  ];
  const calls = talkOf(topic, isGood, index);
  const before: ChatMessage[] = [...asked];
  const records = calls.map(({ reply, next }, sequence): CaptureRecord => {
    const began = at + sequence * 20_000;
    const words = JSON.stringify(reply).length;
    const isLost = hasFailed && sequence === calls.length - 1;
    const record: CaptureRecord = {
      ...{
        record_id: `0192bbbb-0000-7000-8${sequence}00-${String(index).padStart(12, '0')}`,
        recorder: `app-${index}`,
      },
      ...{ sequence, trajectory: `chat-${index}`, at: began, user: CUSTOMERS[index % CUSTOMERS.length] ?? null },
      ...{ tags: ['shop', topic.tag], consent: index % 11 === 10 ? 'keep' : 'train', metadata: { channel: 'web' } },
      ...{ kind: 'call', state: isLost ? 'failed' : 'complete', source: 'shop', model },
      messages: [...before],
      ...{ tools: null, sampling: { temperature: 0.7 }, is_stream: true },
      replies: isLost
        ? []
        : [{ message: reply, finish_reason: 'stop', tokens: null, tokens_missing: 'backend-returns-none' }],
      usage: {
        prompt_tokens: 60 + sequence * 90,
        completion_tokens: Math.ceil(words / 4),
        total_tokens: 60 + sequence * 90 + Math.ceil(words / 4),
      },
      cost: isOther ? null : Math.round((0.0002 + words * 0.000004) * 1e6) / 1e6,
      upstream: isOther ? 'api.example.com' : 'localhost',
      ...{
        started_at: began,
        first_token_at: began + 180 + Math.round(dice() * 300),
        ended_at: began + 700 + words * 6,
      },
      error: isLost ? { message: 'upstream answered 529: overloaded, try again', status: 529 } : null,
    };
    before.push(reply, ...next);
    return record;
  });
  return { records, isGood, hasFailed };
}

/** Nobody asks about the same order twice. */
const numbered = (topic: Topic, order: number): Topic =>
  JSON.parse(JSON.stringify(topic).replaceAll('1042', String(order))) as Topic;

/** The calls of one chat: what the model said, and what came before its next call. */
function talkOf(topic: Topic, isGood: boolean, index: number): { reply: ChatMessage; next: ChatMessage[] }[] {
  const { lookup, after } = topic;
  const last = {
    reply: { role: 'assistant' as const, content: isGood ? topic.good : topic.poor },
    next: [] as ChatMessage[],
  };
  const id = `call-${index}`;
  return [
    ...(lookup === undefined || !isGood
      ? []
      : [
          {
            reply: {
              ...{ role: 'assistant' as const, content: '' },
              tool_calls: [
                {
                  id,
                  type: 'function' as const,
                  function: { name: lookup.tool, arguments: JSON.stringify(lookup.with) },
                },
              ],
            },
            next: [{ role: 'tool' as const, tool_call_id: id, content: JSON.stringify(lookup.found) }],
          },
        ]),
    ...(after === undefined || !isGood
      ? [last]
      : [
          { ...last, next: [{ role: 'user' as const, content: after.question }] },
          { reply: { role: 'assistant' as const, content: after.answer }, next: [] },
        ]),
  ];
}

async function rateChats(
  { home: { store }, people, unrated }: RecordChatsOptions,
  chats: readonly Chat[],
  ids: readonly string[],
  dice: Dice,
): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const chat = chats[index];
    if (chat === undefined || chat.hasFailed || dice() < unrated) continue;
    const write = (feedback: Parameters<typeof writeFeedback>[0]['feedback']) =>
      writeFeedback({ store, tenantId: TENANT, feedback });
    for (const [seat, author] of people.entries()) {
      if (seat > 0 && dice() < 0.6) continue;
      const isKind = dice() < 0.9 ? chat.isGood : !chat.isGood;
      const stars = isKind ? pick(dice, [4, 4, 5]) : pick(dice, [1, 2, 2, 3]);
      await write({ ...{ trajectory_id: id, author, author_kind: 'person' as const }, kind: 'stars', stars });
      if (dice() < 0.1) {
        const comment = isKind ? 'Says what is the case and what happens next.' : 'Does not answer what was asked.';
        await write({ ...{ trajectory_id: id, author, author_kind: 'person' as const }, kind: 'text', comment });
      }
    }
    const score = Math.round((chat.isGood ? 0.65 + dice() * 0.3 : 0.2 + dice() * 0.4) * 100) / 100;
    if (dice() < 0.7)
      await write({
        trajectory_id: id,
        author: 'judge-small',
        author_kind: 'judge',
        kind: 'score',
        score,
        rubric: 'answers',
      });
  }
}
