import type { ConversationRecord, ChatMessage, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import { indexTurns, pathTo, promptsOf } from './conversation-at.ts';
import { joinTokens } from './join-tokens.ts';

export interface RecordedTrajectory {
  readonly summary: TrajectorySummary;
  readonly turns: readonly TrajectoryTurn[];
}

export interface ToDataRecordsOptions {
  /** `all`: every conversation that no other continues (the default). `last`: the one with the latest turn. */
  readonly leaves?: 'all' | 'last';
  /** Whether further replies to the same prompt (`n` above 1) are conversations of their own. True unless told. */
  readonly withOtherReplies?: boolean;
  /** Whether the tokens come along. True unless told. */
  readonly withTokens?: boolean;
}

/** The conversations of a trajectory: one for each end that no later turn continues, so a fork gives two. */
export function toDataRecords(
  { summary, turns }: RecordedTrajectory,
  { leaves = 'all', withOtherReplies = true, withTokens = true }: ToDataRecordsOptions = {},
): ConversationRecord[] {
  const byIndex = indexTurns(turns);
  let ends = findLeaves(byIndex);
  if (leaves === 'last') ends = ends.slice(-1);
  const records: ConversationRecord[] = [];
  for (const { turn, prompt, isContinued } of ends) {
    const choices = withOtherReplies ? Math.max(1, turn.replies.length) : 1;
    for (let choice = isContinued ? 1 : 0; choice < choices; choice += 1) {
      const reply = turn.replies[choice];
      const messages = reply === undefined ? prompt : [...prompt, reply.message];
      if (messages.length === 0) continue;
      const joined = withTokens ? joinTokens({ path: pathTo(byIndex, turn.turn_index), choice }) : undefined;
      const isTokens = joined !== undefined && 'tokens' in joined;
      records.push({
        kind: 'conversation',
        id: nameOf(summary.trajectory_id, turn.turn_index, choice),
        trajectory_id: summary.trajectory_id,
        messages,
        tools: lastTools(byIndex, turn),
        model: turn.model ?? summary.model,
        timestamp: new Date(turn.ended_at).toISOString(),
        completed: turn.state === 'complete' && summary.outcome !== 'failed',
        partial: turn.state === 'interrupted' || reply?.finish_reason === 'length',
        reward: summary.reward,
        rating: summary.rating,
        tags: summary.tags,
        split: summary.split,
        weight: 1,
        consent: summary.consent,
        tokens: isTokens ? joined.tokens : null,
        extra: {
          lachesis: {
            turn_index: turn.turn_index,
            choice,
            outcome: summary.outcome,
            source: summary.source,
            ...(joined === undefined || isTokens
              ? {}
              : { tokens_missing: joined.missing, tokens_missing_at: joined.turn_index }),
          },
        },
      });
    }
  }
  return records;
}

interface Leaf {
  readonly turn: TrajectoryTurn;
  readonly prompt: ChatMessage[];
  /** Another turn goes on from its first reply, so that its other replies alone are ends. */
  readonly isContinued: boolean;
}

function findLeaves(byIndex: ReadonlyMap<number, TrajectoryTurn>): Leaf[] {
  const prompts = promptsOf(byIndex);
  const continued = new Set<number>();
  const unanswered = findUnanswered(byIndex);
  for (const turn of byIndex.values()) {
    if (unanswered.has(turn.turn_index)) continue;
    const parent = turn.parent_index === null ? undefined : byIndex.get(turn.parent_index);
    if (parent === undefined) continue;
    const length = (prompts.get(parent.turn_index)?.length ?? 0) + Math.min(1, parent.replies.length);
    if (turn.kept_messages >= length) continued.add(parent.turn_index);
  }
  const leaves: Leaf[] = [];
  for (const turn of byIndex.values()) {
    const prompt = prompts.get(turn.turn_index) ?? [];
    const isContinued = continued.has(turn.turn_index);
    if (isContinued && turn.replies.length <= 1) continue;
    // A call without a reply has nothing to learn from: the conversation ends with the reply before it.
    if (isUnanswered(turn)) continue;
    leaves.push({ turn, prompt, isContinued });
  }
  return leaves;
}

const isUnanswered = ({ kind, replies }: TrajectoryTurn): boolean => kind === 'call' && replies.length === 0;

/** Calls without a reply that were not tried again either: what they continue, nobody went on with. */
function findUnanswered(byIndex: ReadonlyMap<number, TrajectoryTurn>): Set<number> {
  const unanswered = new Set<number>();
  const goneOn = new Set<number>();
  // From the last to the first: what continues a turn comes after it.
  for (const turn of [...byIndex.values()].toReversed()) {
    if (isUnanswered(turn) && !goneOn.has(turn.turn_index)) unanswered.add(turn.turn_index);
    else if (turn.parent_index !== null) goneOn.add(turn.parent_index);
  }
  return unanswered;
}

/** Later calls may offer other tools; a conversation has one list, which is the last. */
function lastTools(byIndex: ReadonlyMap<number, TrajectoryTurn>, turn: TrajectoryTurn): ConversationRecord['tools'] {
  return pathTo(byIndex, turn.turn_index).findLast(({ tools }) => tools !== null)?.tools ?? null;
}

/** The same when the trajectory has grown: a data set names its rows by it. */
const nameOf = (trajectoryId: string, turnIndex: number, choice: number): string =>
  choice === 0 ? `${trajectoryId}/${turnIndex}` : `${trajectoryId}/${turnIndex}/${choice}`;
