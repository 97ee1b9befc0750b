import { chatMessageSchema, MASKED, type ChatMessage, type RecordTokens } from '@lachesis/protocol';
import { z } from 'zod';
import type { ReadResult } from '../../records/read-result.ts';
import { toConversation, type RolledOut } from '../../rollouts/rolled-out-group.ts';
import { readLines } from '../lines/read-lines.ts';
import type { Source } from '../lines/source.ts';

const numbers = z.array(z.number());

/** A line of `env process`: one group, with one entry for each sequence. Only what is used is read. */
const groupLineSchema = z.looseObject({
  tokens: z.array(numbers),
  masks: z.array(numbers),
  scores: numbers,
  inference_logprobs: z.array(numbers).nullish(),
  messages: z.array(z.array(z.unknown()).nullable()).nullish(),
  /** Which rollout each sequence belongs to; files of Atropos and those of before do not say it. */
  rollout_ids: z.array(z.string()).nullish(),
});

type GroupLine = z.infer<typeof groupLineSchema>;

/** Groups of rollouts as environments write them: each attempt is a conversation, with its score as its reward. */
export async function* readGroups(source: Source): AsyncGenerator<ReadResult> {
  for await (const line of readLines(source)) {
    const at = `line ${line.at}`;
    if ('problem' in line) {
      yield { problem: { at, reason: line.problem } };
      continue;
    }
    const group = parseGroup(line.text);
    if (typeof group === 'string') {
      yield { problem: { at, reason: group } };
      continue;
    }
    const id = `group-${line.at}`;
    for (const [place, sequences] of listRollouts(group).entries()) {
      const rollout = readRollout(group, sequences);
      if (typeof rollout === 'string') yield { problem: { at, reason: rollout } };
      else {
        const origin = { id, origin: {}, rollouts: [] };
        yield { record: toConversation(origin, rollout, place), repairs: [], at };
      }
    }
  }
}

function parseGroup(text: string): GroupLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON; a line that was cut short looks like this';
  }
  const parsed = groupLineSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `it is no group of rollouts: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  }
  const { tokens, scores } = parsed.data;
  return tokens.length === scores.length
    ? parsed.data
    : `it has ${tokens.length} sequences and ${scores.length} scores`;
}

/** The sequences of each rollout, in order: one whose history was rewritten has several. */
function listRollouts({ scores, rollout_ids: ids }: GroupLine): number[][] {
  const places = scores.map((_, place) => place);
  return [...Map.groupBy(places, (place) => ids?.[place] ?? place).values()];
}

function readRollout(group: GroupLine, sequences: readonly number[]): RolledOut | string {
  const last = sequences.at(-1) ?? 0;
  const messages = readConversation(group.messages?.[last]);
  if (messages === undefined) return `sequence ${last + 1} has no messages: tokens alone are no conversation`;
  return {
    id: group.rollout_ids?.[last] ?? null,
    score: group.scores[last] ?? 0,
    messages,
    tokens: sequences.length === 1 ? readTokens(group, last) : null,
  };
}

function readConversation(value: readonly unknown[] | null | undefined): ChatMessage[] | undefined {
  const parsed = z.array(chatMessageSchema).min(1).safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** None where the server gave no token ids. */
function readTokens(group: GroupLine, place: number): RecordTokens | null {
  const ids = group.tokens[place] ?? [];
  const masks = group.masks[place] ?? [];
  if (ids.length === 0 || masks.length !== ids.length) return null;
  const mask = masks.map((each) => (each === MASKED ? 0 : 1));
  const logprobs = group.inference_logprobs?.[place];
  return {
    token_ids: ids,
    mask,
    logprobs: logprobs?.length === ids.length ? logprobs.map((each, index) => (mask[index] === 1 ? each : 0)) : null,
  };
}
