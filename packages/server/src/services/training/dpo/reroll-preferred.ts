import { makePreference, type ConversationRecord, type PreferenceRecord, type ChatMessage } from '@lachesis/protocol';
import type { SkippedRecord } from '../records/method.ts';

export interface RerollOptions {
  /** A conversation whose last reply was disliked, with the tokens that were sampled. */
  record: ConversationRecord;
  /** Replies to try before it is given up. */
  samples: number;
  /** How much better the new reply has to be, on the scale of `score`. */
  minGap: number;
  /** Goes on from exactly these tokens, up to and with the token that ends the turn. */
  sample(prefix: Int32Array, index: number): Promise<Int32Array>;
  /** Reads a sampled reply; undefined for one that cannot be read. */
  read(tokens: Int32Array): Promise<ChatMessage | undefined>;
  /** How good a reply is, from 0 to 1: a rule, a judge or a reward model. Undefined when it does not know. */
  score(prompt: readonly ChatMessage[], reply: ChatMessage): Promise<number | undefined>;
}

/**
 * A pair out of a lone negative: the disliked reply, and one that is sampled from the same tokens and scored higher. Both keep
 * their tokens, so that what is learnt is what was sampled. Nothing is taken for better because it is merely new.
 */
export async function rerollPreferred(options: RerollOptions): Promise<PreferenceRecord | SkippedRecord> {
  const { record, samples, minGap, sample, read, score } = options;
  const prompt = record.messages.slice(0, -1);
  const disliked = record.messages.at(-1);
  if (disliked?.role !== 'assistant' || prompt.length === 0) return { skipped: 'it does not end with a reply' };
  if (record.tokens === null) return { skipped: 'its tokens were not recorded, so nothing can go on from them' };
  const tokens = Int32Array.from(record.tokens.token_ids);
  const start = findLastRun(record.tokens.mask);
  if (start <= 0) return { skipped: 'its tokens hold no prompt with a reply' };
  const worst = await score(prompt, disliked);
  if (worst === undefined) return { skipped: 'the disliked reply could not be scored' };
  const prefix = tokens.slice(0, start);
  for (let index = 0; index < samples; index += 1) {
    const sampled = await sample(prefix, index);
    const reply = await read(sampled);
    if (reply === undefined || sampled.length === 0) continue;
    const value = await score(prompt, reply);
    if (value === undefined || value - worst < minGap) continue;
    return makePreference({
      id: `reroll/${record.id}`,
      trajectory_id: record.trajectory_id,
      prompt,
      chosen: [reply],
      rejected: [disliked],
      tools: record.tools,
      tags: record.tags,
      split: record.split,
      weight: record.weight,
      consent: record.consent,
      extra: {
        lachesis: {
          from: 'reroll',
          scores: { chosen: value, rejected: worst },
          tokens: { chosen: toTokens(prefix, sampled), rejected: toTokens(prefix, tokens.slice(start)) },
        },
      },
    });
  }
  return { skipped: `none of ${samples} new replies is better by ${minGap}` };
}

/** Where the last run of what the model wrote begins; -1 when it wrote nothing, or wrote before the end and not at it. */
function findLastRun(mask: readonly number[]): number {
  if (mask.at(-1) !== 1) return -1;
  return mask.lastIndexOf(0) + 1;
}

const toTokens = (prefix: Int32Array, reply: Int32Array) => ({
  token_ids: [...prefix, ...reply],
  mask: [...prefix.map(() => 0), ...reply.map(() => 1)],
  logprobs: null,
});
