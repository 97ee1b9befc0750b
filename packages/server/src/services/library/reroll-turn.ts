import {
  LachesisError,
  REROLL_SOURCE,
  rerollKey,
  type CallRecord,
  type ChatMessage,
  type rerollSchemas,
  type TrajectorySummary,
  type TrajectoryTurn,
} from '@lachesis/protocol';
import { findModel, findPromoted, readRequest, recordLineage } from '@lachesis/store';
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { nameOf, type ModelScope } from '../models/find-start.ts';
import { sampleReplies, type SampleRepliesOptions } from '../models/sample-replies.ts';
import { ingestRecords, type IngestParts } from './ingest-records.ts';
import { noTokens, readTurn, readTurnsFrom, type TurnScope } from './read-turn.ts';

type RerollLine = z.infer<(typeof rerollSchemas)['line']>;

export interface RerollTurnOptions extends TurnScope, Pick<SampleRepliesOptions, 'findEngine' | 'signal'> {
  /** The turn whose reply is asked for again. */
  index: number;
  ask: z.output<(typeof rerollSchemas)['ask']>;
  parts: IngestParts;
  sample?: typeof sampleReplies;
  now?: () => number;
}

/** Replies that are tried: one that says what is there already makes no pair, and one that was cut off is none. */
const TRIES = 4;
const MAX_TOKENS = 512;
/** Somebody looks on: an engine that is busy answers within this time, and one that is away never does. */
const CONNECT_MS = 15_000;
const SEEDS = 2 ** 31 - 1 - TRIES;

/**
 * Another reply to a turn: sampled from the very tokens that were before it, by what serves under the name of its model now,
 * and recorded beside the trajectory. If we die after the record it is there, and nobody has chosen it.
 */
export async function* rerollTurn(options: RerollTurnOptions): AsyncGenerator<RerollLine> {
  const { ask, parts, tenantId, sample = sampleReplies, now = Date.now } = options;
  const startedAt = now();
  const { summary, turn } = await readTurn(options);
  const [reply] = turn.replies;
  if (reply === undefined || reply.tokens === null) throw noTokens(turn, 0);
  const prefix = reply.tokens.prompt_token_ids ?? [];
  if (prefix.length === 0) throw noPrefix(summary, turn);
  const by = await chooseModel(options, turn);
  const seed = ask.seed ?? randomInt(SEEDS);
  const tools = turn.tools ?? undefined;
  const prompts = Array.from({ length: TRIES }, (_, index) => ({ tokens: prefix, tools, seed: seed + index }));
  const maxTokens = ask.max_tokens ?? readLimit(turn);
  const asked = { model: by.model, max_tokens: maxTokens, prompts };
  const isCut = ask.max_tokens === undefined && reply.finish_reason === 'length';
  const seen = { same: 0, cut: 0 };
  for await (const line of sample({ ...options, ask: asked, tokensOf: by.tokensOf, connectMs: CONNECT_MS })) {
    if ('said' in line) yield line;
    if (!('sampled' in line)) continue;
    const { tokens, logprobs, reply: whole, partial = null } = line.sampled;
    // Beside a reply that was cut off stands one that was cut off at the same length.
    const message = whole ?? (isCut ? partial : null);
    if (message === null) seen.cut += 1;
    else if (isSameReply(message, reply.message)) seen.same += 1;
    else {
      const model = by.model ?? by.tokensOf;
      const record = makeRecord({ summary, turn, prefix, tokens, logprobs, message, model, isCut: whole === null });
      const sampling = { max_tokens: maxTokens, temperature: 1, seed: seed + seen.same + seen.cut };
      const messages = await readPrompt(options, turn);
      const id = parts.ids.next();
      const times = { at: now(), started_at: startedAt, ended_at: now() };
      const [receipt] = await ingestRecords({
        ...{ parts, tenantId },
        records: [{ ...record, ...times, record_id: id, recorder: `${REROLL_SOURCE}-${id}`, sampling, messages }],
      });
      if (receipt === undefined || receipt.turn_index === null) throw notKept(summary);
      const { trajectory_id, turn_index } = receipt;
      const [from, to] = [summary.trajectory_id, trajectory_id].map((one) => ({
        kind: 'trajectory' as const,
        id: one,
      }));
      // If we die before it the reply is there, and the next one that is sampled beside it notes the same arrow.
      await recordLineage({
        store: options.store,
        tenantId,
        arrows: [{ from: from!, to: to!, relation: 'rerolled-as' }],
      });
      const counts = { prompt_tokens: prefix.length, tokens: tokens.length };
      yield { rerolled: { trajectory_id, turn_index, model, ...counts, reply: message } };
      yield { done: true };
      return;
    }
  }
  throw nothingNew(seen, maxTokens);
}

/** Who answers: what the name of its model serves now, where the ids mean the same to it; else the very model that wrote it. */
async function chooseModel(
  { store, tenantId }: ModelScope,
  { model, turn_index: index }: TrajectoryTurn,
): Promise<{ model: string; tokensOf?: undefined } | { model?: undefined; tokensOf: string }> {
  if (model === null) {
    throw new LachesisError({
      code: 'conflict',
      message: `nobody recorded which model wrote turn ${index}, so nobody can go on from its tokens`,
      hint: 'To another model they mean other words. Record calls through a gateway: it names the model.',
    });
  }
  const known = await findModel({ store, tenantId, ref: model });
  if (known === undefined) return { tokensOf: model };
  const served = (await findPromoted({ store, tenantId, name: known.name }))?.model;
  return { model: nameOf(served?.baseModel === known.baseModel ? served : known) };
}

/** How long the reply was allowed to be. */
function readLimit({ sampling }: TrajectoryTurn): number {
  const limit = sampling?.['max_completion_tokens'] ?? sampling?.['max_tokens'];
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : MAX_TOKENS;
}

/** Everything that was said before the reply. */
async function readPrompt(scope: TurnScope, turn: TrajectoryTurn): Promise<ChatMessage[]> {
  if (turn.parent_index === null) return turn.messages;
  const { turns } = await readTurnsFrom({ ...scope, from: 0, limit: turn.turn_index + 1 });
  return readRequest(turns, turn.turn_index);
}

/** It has what the person allowed, the split and the tags of what it was sampled from: it holds the same words. */
function makeRecord(of: {
  summary: TrajectorySummary;
  turn: TrajectoryTurn;
  prefix: readonly number[];
  tokens: number[];
  logprobs: number[] | undefined;
  message: ChatMessage;
  model: string;
  isCut: boolean;
}): Omit<CallRecord, 'at' | 'ended_at' | 'messages' | 'record_id' | 'recorder' | 'sampling' | 'started_at'> {
  const { summary, turn, prefix, tokens, logprobs, message, model } = of;
  const { trajectory_id, user, tags, consent, split } = summary;
  const usage = { prompt_tokens: prefix.length, completion_tokens: tokens.length };
  return {
    ...{ kind: 'call', state: 'complete', source: REROLL_SOURCE, sequence: 0, trajectory: rerollKey(trajectory_id) },
    ...{ user, tags, consent, model, tools: turn.tools, is_stream: false },
    metadata: { split, rerolled: { trajectory_id, turn_index: turn.turn_index } },
    replies: [
      {
        message,
        finish_reason: of.isCut ? 'length' : (message.tool_calls?.length ?? 0) > 0 ? 'tool_calls' : 'stop',
        tokens:
          logprobs === undefined
            ? null
            : { prompt_token_ids: [...prefix], token_ids: tokens, logprobs, policy_version: null },
        tokens_missing: logprobs === undefined ? 'no-logprobs' : null,
      },
    ],
    usage: { ...usage, total_tokens: prefix.length + tokens.length },
    ...{ cost: null, upstream: null, first_token_at: null, error: null },
  };
}

const isSameReply = (one: ChatMessage, other: ChatMessage): boolean =>
  isDeepStrictEqual([one.content ?? '', one.tool_calls ?? []], [other.content ?? '', other.tool_calls ?? []]);

const noPrefix = ({ trajectory_id: id }: TrajectorySummary, { turn_index: index }: TrajectoryTurn): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `turn ${index} of ${id} was recorded without the tokens of its prompt`,
    hint: 'Text that is rendered again may be other tokens. A gateway in front of our own weights records both.',
  });

const notKept = ({ trajectory_id: id }: TrajectorySummary): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `trajectory ${id} was forgotten while another reply to it was sampled`,
    hint: 'The new reply was not kept either.',
  });

function nothingNew({ same, cut }: { same: number; cut: number }, maxTokens: number): LachesisError {
  const parts = [
    ...(same > 0 ? [`${same} said what is there already`] : []),
    ...(cut > 0 ? [`${cut} did not end within ${maxTokens} tokens or could not be read`] : []),
  ];
  return new LachesisError({
    code: 'conflict',
    message: `of ${same + cut} new replies none makes a pair: ${parts.join(', ')}`,
    hint: cut > 0 ? 'Ask again, with a larger max_tokens.' : 'Ask again; a model that is sure says the same each time.',
  });
}
