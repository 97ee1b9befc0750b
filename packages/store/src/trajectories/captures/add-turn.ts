import type { CallRecord, MessagesRecord, ChatMessage } from '@lachesis/protocol';
import { addPlaces } from './capture-state.ts';
import type { CaptureState, OpenTrajectory, PreparedRecord } from './capture-state.ts';
import { digestCallIds, digestConversation } from './conversation-digest.ts';
import { collectSearchText, listTexts } from '../search-words.ts';
import { encodeTurn } from './turn-payload.ts';
import type { TurnContent } from './turn-payload.ts';

/** A line of a list. */
const TITLE_CHARACTERS = 120;

/** Adds the turn that a record makes, with only the messages that are new in it. Returns its index. */
export function addTurn(options: {
  state: CaptureState;
  trajectory: OpenTrajectory;
  prepared: PreparedRecord & { record: CallRecord | MessagesRecord };
}): number {
  const { state, trajectory, prepared } = options;
  const { record, prefixes, callPrefixes } = prepared;
  const { row } = trajectory;
  const { parentIndex, kept } = findParent(trajectory, prepared);
  const messages = record.messages.slice(kept);
  const content = record.kind === 'call' ? fromCall(record, messages) : fromMessages(record, messages);
  const replyMessages = content.replies.map(({ message }) => message);
  const replyEnds = replyMessages.map((message) => digestConversation([message], prefixes.at(-1))[0]!);
  // What an application wrote by itself has its replies among the messages.
  const ownEnds = record.kind === 'messages' ? listReplyEnds(messages, prefixes.slice(kept)) : [];
  const before = { prefix: prefixes.at(-1) ?? '', callPrefix: callPrefixes.at(-1) ?? '' };
  const callReplyEnds = digestCallIds(replyMessages.slice(0, 1), replyEnds, before);
  const [digests, withIds] = [
    [...prefixes.slice(kept), ...replyEnds.slice(0, 1)].join(''),
    [...callPrefixes.slice(kept), ...callReplyEnds].join(''),
  ];
  const turnIndex = row.turn_count;
  const policyVersion = content.replies[0]?.tokens?.policy_version ?? null;
  const turn = {
    // What the recorder told its caller.
    turn_id: record.record_id,
    trajectory_id: row.trajectory_id,
    turn_index: turnIndex,
    role: replyMessages[0]?.role ?? messages.at(-1)?.role ?? 'user',
    policy_version: policyVersion,
    token_count: content.replies[0]?.tokens?.token_ids.length ?? content.usage?.completion_tokens ?? null,
    at: content.started_at,
    state: content.state,
    parent_index: parentIndex,
    kept_messages: kept,
    prefixes: digests,
    call_prefixes: withIds === digests ? null : withIds,
    cold_row: null,
  };
  const extra = turnIndex === 0 ? [row.trajectory_id, row.key ?? '', content.model ?? '', row.user_name ?? ''] : [];
  trajectory.newTurns.push({
    row: turn,
    encoded: encodeTurn(content, record.metadata),
    words: collectSearchText([...messages, ...replyMessages], extra),
    replyDigests: [...new Set([...replyEnds, ...ownEnds])],
  });
  addPlaces(trajectory, turn);
  for (const digest of [...replyEnds, ...ownEnds]) {
    state.replies.set(digest, [...(state.replies.get(digest) ?? []), { trajectoryId: row.trajectory_id, turnIndex }]);
  }
  countTurn({ trajectory, content, record, messages });
  return turnIndex;
}

/**
 * The turn that brought the last message this conversation shares with the trajectory. A run of the same words may be there
 * more than once: the one whose call ids come back is the one that goes on. Clients that leave ids out are told by the words.
 */
function findParent({ places }: OpenTrajectory, { prefixes, callPrefixes }: PreparedRecord): Parent {
  const byIds = findPlace(places, callPrefixes);
  const hasIds = byIds.kept > 0 && callPrefixes[byIds.kept - 1] !== prefixes[byIds.kept - 1];
  return hasIds ? byIds : findPlace(places, prefixes);
}

interface Parent {
  parentIndex: number | null;
  kept: number;
}

function findPlace(places: OpenTrajectory['places'], prefixes: readonly string[]): Parent {
  for (let length = prefixes.length; length > 0; length -= 1) {
    const place = places.get(prefixes[length - 1]!);
    if (place !== undefined && place.length === length) return { parentIndex: place.turnIndex, kept: length };
  }
  return { parentIndex: null, kept: 0 };
}

function listReplyEnds(messages: readonly ChatMessage[], prefixes: readonly string[]): string[] {
  return messages.flatMap(({ role }, index) => (role === 'assistant' ? [prefixes[index]!] : []));
}

function fromCall(record: CallRecord, messages: ChatMessage[]): TurnContent {
  const { state, tools, sampling, replies, model, upstream, usage, cost, is_stream, error } = record;
  const { started_at, first_token_at, ended_at } = record;
  return {
    kind: 'call',
    state,
    messages,
    tools,
    sampling,
    replies,
    model,
    upstream,
    usage,
    cost,
    is_stream,
    error,
    started_at,
    first_token_at,
    ended_at,
  };
}

function fromMessages({ tools, model, at }: MessagesRecord, messages: ChatMessage[]): TurnContent {
  return {
    kind: 'messages',
    state: 'complete',
    messages,
    tools,
    sampling: null,
    replies: [],
    model,
    upstream: null,
    usage: null,
    cost: null,
    is_stream: false,
    error: null,
    started_at: at,
    first_token_at: null,
    ended_at: at,
  };
}

function countTurn(options: {
  trajectory: OpenTrajectory;
  content: TurnContent;
  record: CallRecord | MessagesRecord;
  messages: readonly ChatMessage[];
}): void {
  const { trajectory, content, record, messages } = options;
  const { row } = trajectory;
  const { replies, usage } = content;
  row.turn_count += 1;
  row.started_at = Math.min(row.started_at, content.started_at);
  row.model = content.model ?? row.model;
  if (row.source === '') row.source = record.source;
  if (row.title === '') row.title = createTitle(messages);
  if (content.state === 'failed' || content.error !== null) row.error_count += 1;
  const written =
    record.kind === 'call'
      ? replies.map(({ message }) => message)
      : messages.filter(({ role }) => role === 'assistant');
  for (const { function: called } of written.flatMap(({ tool_calls: calls }) => calls ?? [])) {
    row.tool_call_count += 1;
    trajectory.newToolCalls.set(called.name, (trajectory.newToolCalls.get(called.name) ?? 0) + 1);
  }
  if (written.length > 0) {
    const isComplete = replies.length > 0 && replies.every(({ tokens }) => tokens !== null);
    row.has_tokens = isComplete && (row.reply_count === 0 || row.has_tokens === 1) ? 1 : 0;
    row.reply_count += written.length;
  }
  const tokens = replies[0]?.tokens;
  const counted = tokens?.prompt_token_ids ? tokens.prompt_token_ids.length + tokens.token_ids.length : null;
  row.token_count = usage?.total_tokens ?? counted ?? row.token_count;
  row.completion_tokens += usage?.completion_tokens ?? tokens?.token_ids.length ?? 0;
  if (content.cost !== null) row.cost = (row.cost ?? 0) + content.cost;
}

function createTitle(messages: readonly ChatMessage[]): string {
  const first = messages.find(({ role }) => role === 'user');
  if (first === undefined) return '';
  const text = listTexts(first)
    .join(' ')
    .slice(0, TITLE_CHARACTERS * 4);
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, TITLE_CHARACTERS)
    .toWellFormed();
}
