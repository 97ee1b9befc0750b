import type { DataRecord, RecordTokens, ChatMessage } from '@lachesis/protocol';
import type { Transform } from './transform.ts';

type Trained = Extract<Transform, { kind: 'mask' }>['train'];

/**
 * Says which replies are trained. A message gets `weight` 0 or 1, as fine-tuning files have it, and the tokens of replies that
 * are not trained lose their mask. The pairs of a preference are trained as they are.
 */
export function maskReplies(record: DataRecord, train: Trained): DataRecord {
  if (record.kind === 'preference') return record;
  const replies = record.messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []));
  const trained = replies.filter((index) => isTrained(record.messages, index, train));
  return {
    ...record,
    messages: record.messages.map((message, index) =>
      message.role === 'assistant' ? { ...message, weight: trained.includes(index) ? 1 : 0 } : message,
    ),
    tokens: record.tokens === null ? null : maskTokens(record.tokens, replies, trained),
  };
}

function isTrained(messages: readonly ChatMessage[], index: number, train: Trained): boolean {
  if (train === 'all-replies') return true;
  if (train === 'last-reply') return messages.findLastIndex(({ role }) => role === 'assistant') === index;
  return (messages[index]?.tool_calls?.length ?? 0) === 0;
}

function maskTokens(tokens: RecordTokens, replies: readonly number[], trained: readonly number[]): RecordTokens | null {
  if (trained.length === replies.length) return tokens;
  const runs = findRuns(tokens.mask);
  // Replies and runs of the mask are the same things in the same order. Where a reply left no run of its own, nobody can say
  // which tokens are whose, and tokens with a wrong mask are worse than none.
  if (runs.length !== replies.length) return null;
  const mask = tokens.mask.map((): 0 | 1 => 0);
  for (const [at, index] of replies.entries()) {
    const run = runs[at];
    if (run !== undefined && trained.includes(index)) mask.fill(1, run.start, run.end);
  }
  const logprobs = tokens.logprobs?.map((value, place) => (mask[place] === 1 ? value : 0)) ?? null;
  return { ...tokens, mask, logprobs };
}

function findRuns(mask: readonly (0 | 1)[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  let start: number | undefined;
  for (let index = 0; index <= mask.length; index++) {
    if (mask[index] === 1) start ??= index;
    else if (start !== undefined) {
      runs.push({ start, end: index });
      start = undefined;
    }
  }
  return runs;
}
