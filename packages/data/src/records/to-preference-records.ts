import {
  REROLL_SOURCE,
  type CallTokens,
  type ChatMessage,
  type Consent,
  type Feedback,
  type PreferenceRecord,
  type RecordTokens,
  type TrajectoryTurn,
} from '@lachesis/protocol';
import { isDeepStrictEqual } from 'node:util';
import { indexTurns, promptsOf } from './conversation-at.ts';
import { findLiveFeedback } from './find-live-feedback.ts';
import { conversationKey, messageKey } from './message-parts.ts';
import { type RatedReply, pairByRating } from './pair-by-rating.ts';
import type { RecordedTrajectory } from './to-data-records.ts';

export interface ToPreferenceRecordsOptions {
  /** Every trajectory that the feedback names; the two sides of a choice may be in two of them. */
  readonly trajectories: readonly RecordedTrajectory[];
  readonly feedback: readonly Feedback[];
  /** How far two ratings of replies to one prompt have to be apart, from 0 to 1. */
  readonly minGap?: number;
}

export interface UnusedFeedback {
  feedback_id: string;
  reason: string;
}

export interface PreferenceRecords {
  records: PreferenceRecord[];
  /** Feedback that makes no pair, and why not. */
  unused: UnusedFeedback[];
}

/** A quarter: one star of five. */
const MIN_GAP = 0.25;

/** A reply, or everything from the first reply on, with what came before it. */
interface Side {
  readonly trajectory: RecordedTrajectory;
  readonly prompt: ChatMessage[];
  readonly continuation: ChatMessage[];
  readonly tools: PreferenceRecord['tools'];
  /** Of the reply, where the side is one reply as it was sampled. */
  readonly tokens?: CallTokens | null | undefined;
}

/**
 * Pairs from what people, rules and judges said: an edited reply is better than the reply, a chosen one better than the other,
 * a higher rated one better than a lower rated one to the same prompt.
 */
export function toPreferenceRecords({
  trajectories,
  feedback,
  minGap = MIN_GAP,
}: ToPreferenceRecordsOptions): PreferenceRecords {
  const find = createFinder(trajectories);
  const records = new Map<string, PreferenceRecord>();
  const unused: UnusedFeedback[] = [];
  const rated: RatedReply<Side>[] = [];

  for (const item of findLiveFeedback(feedback)) {
    const { feedback: said, feedback_id, value } = item;
    const skip = (reason: string): void => void unused.push({ feedback_id, reason });
    const side = find(said.trajectory_id, said.turn_index ?? null);
    if (side === undefined)
      skip('there is no reply to a prompt in what it is about, or that is not among the given trajectories');
    else if (said.kind === 'edit') {
      if (side.continuation.length !== 1) skip('an edit is about one reply: give its turn_index');
      else if (messageKey(said.edited) === messageKey(side.continuation[0] as ChatMessage))
        skip('the edited reply is the reply');
      else add(side, { ...side, continuation: [said.edited], tokens: null }, side, [feedback_id], 'edit');
    } else if (said.kind === 'choice') {
      const other = find(said.over.trajectory_id, said.over.turn_index ?? null);
      if (other === undefined) skip('the other reply is not among the given trajectories');
      else {
        const pair = alignSides(side, other);
        if (typeof pair === 'string') skip(pair);
        else add(pair[0], pair[0], pair[1], [feedback_id], 'choice');
      }
    } else if (value !== null && said.kind !== 'step') {
      rated.push({
        reply: side,
        promptKey: conversationKey(side.prompt),
        replyKey: conversationKey(side.continuation),
        raterKey: raterKey(said),
        value,
        feedbackId: feedback_id,
      });
    } else skip('it says neither which reply is better nor how good one is');
  }

  const { pairs, alone } = pairByRating(rated, minGap);
  for (const { better, worse, feedbackIds } of pairs) add(better, better, worse, feedbackIds, 'rating');
  for (const { feedback_id, reason } of alone) unused.push({ feedback_id, reason });
  return { records: dropContradictions([...records.values()], unused), unused };

  function add(of: Side, chosen: Side, rejected: Side, feedbackIds: readonly string[], from: string): void {
    if (conversationKey(chosen.continuation) === conversationKey(rejected.continuation)) {
      for (const feedback_id of feedbackIds) unused.push({ feedback_id, reason: 'both replies are the same' });
      return;
    }
    const key = conversationKey([...of.prompt, ...chosen.continuation, ...rejected.continuation]);
    const known = records.get(key);
    if (known !== undefined) {
      known.feedback_ids = [...new Set([...known.feedback_ids, ...feedbackIds])];
      return;
    }
    const { summary } = of.trajectory;
    records.set(key, {
      kind: 'preference',
      id: `preference/${feedbackIds.join('+')}`,
      trajectory_id: summary.trajectory_id,
      prompt: of.prompt,
      chosen: chosen.continuation,
      rejected: rejected.continuation,
      tools: of.tools,
      feedback_ids: [...feedbackIds],
      tags: summary.tags,
      split: summary.split,
      weight: 1,
      consent: narrower(chosen.trajectory.summary.consent, rejected.trajectory.summary.consent),
      extra: {
        lachesis: {
          from,
          rejected_trajectory_id: rejected.trajectory.summary.trajectory_id,
          ...pairTokens(chosen, rejected),
        },
      },
    });
  }
}

/** Whose numbers mean the same: those of one rubric, else those of one rater. Four stars of a person are no rule's 0.75. */
function raterKey(said: Feedback['feedback']): string {
  if (said.kind === 'score' && typeof said.rubric === 'string') return JSON.stringify(['rubric', said.rubric]);
  return JSON.stringify([said.author_kind, said.author]);
}

function createFinder(trajectories: readonly RecordedTrajectory[]) {
  const known = new Map(
    trajectories.map((trajectory) => {
      const turns = indexTurns(trajectory.turns);
      return [trajectory.summary.trajectory_id, { trajectory, turns, prompts: promptsOf(turns) }] as const;
    }),
  );
  return (trajectoryId: string, turnIndex: number | null): Side | undefined => {
    const entry = known.get(trajectoryId);
    if (entry === undefined) return undefined;
    const { trajectory, turns, prompts } = entry;
    const turn = turnIndex === null ? lastReplied(turns) : turns.get(turnIndex);
    const reply = turn?.replies[0];
    if (turn === undefined || reply === undefined) return undefined;
    const prompt = prompts.get(turn.turn_index) ?? [];
    if (prompt.length === 0) return undefined;
    if (turnIndex !== null) {
      return { trajectory, prompt, continuation: [reply.message], tools: turn.tools, tokens: reply.tokens };
    }
    // A whole trajectory: what was there before the model said anything, and everything from then on.
    const all = [...prompt, reply.message];
    const first = all.findIndex(({ role }) => role === 'assistant');
    if (first < 1) return undefined;
    return { trajectory, prompt: all.slice(0, first), continuation: all.slice(first), tools: turn.tools };
  };
}

const lastReplied = (turns: ReadonlyMap<number, TrajectoryTurn>): TrajectoryTurn | undefined =>
  [...turns.values()].findLast(({ replies }) => replies.length > 0);

/** Both as continuations of what they share. A sentence where they share nothing a pair could be made from. */
function alignSides(left: Side, right: Side): [Side, Side] | string {
  const a = [...left.prompt, ...left.continuation];
  const b = [...right.prompt, ...right.continuation];
  let shared = 0;
  while (shared < a.length && shared < b.length && keyAt(a, shared) === keyAt(b, shared)) shared += 1;
  if (shared === a.length && shared === b.length) return 'both replies are the same';
  if (shared === 0) return 'the two replies answer different prompts';
  if (a[shared]?.role !== 'assistant' || b[shared]?.role !== 'assistant')
    return 'the two conversations part before a reply, so they answer different prompts';
  const cut = (side: Side, all: ChatMessage[]): Side => ({
    ...side,
    prompt: all.slice(0, shared),
    continuation: all.slice(shared),
  });
  return [cut(left, a), cut(right, b)];
}

const keyAt = (messages: readonly ChatMessage[], at: number): string => messageKey(messages[at] as ChatMessage);

/** What was sampled again went on from the very tokens of the other: both are learnt as they were sampled. */
function pairTokens(chosen: Side, rejected: Side): { tokens?: Record<'chosen' | 'rejected', RecordTokens> } {
  if (![chosen, rejected].some((side) => side.trajectory.summary.source === REROLL_SOURCE)) return {};
  if ([chosen, rejected].some(({ continuation }) => continuation.length !== 1)) return {};
  const [better, worse] = [chosen.tokens ?? undefined, rejected.tokens ?? undefined];
  const prompt = better?.prompt_token_ids ?? [];
  if (better === undefined || worse === undefined || prompt.length === 0) return {};
  if (!isDeepStrictEqual(prompt, worse.prompt_token_ids)) return {};
  const join = ({ token_ids: reply }: CallTokens): RecordTokens => ({
    token_ids: [...prompt, ...reply],
    mask: [...prompt.map(() => 0 as const), ...reply.map(() => 1 as const)],
    logprobs: null,
  });
  return { tokens: { chosen: join(better), rejected: join(worse) } };
}

/** The same pair both ways round teaches nothing. */
function dropContradictions(records: readonly PreferenceRecord[], unused: UnusedFeedback[]): PreferenceRecord[] {
  const keys = new Set(records.map((record) => pairKey(record.prompt, record.chosen, record.rejected)));
  return records.filter((record) => {
    if (!keys.has(pairKey(record.prompt, record.rejected, record.chosen))) return true;
    for (const feedback_id of record.feedback_ids)
      unused.push({ feedback_id, reason: 'other feedback says the opposite of the same two replies' });
    return false;
  });
}

const pairKey = (...parts: readonly (readonly ChatMessage[])[]): string => parts.map(conversationKey).join('\n\n');

const WIDTH: Readonly<Record<Consent, number>> = { keep: 0, evaluate: 1, train: 2 };

const narrower = (a: Consent, b: Consent): Consent => (WIDTH[a] <= WIDTH[b] ? a : b);
