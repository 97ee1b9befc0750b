import { makeConversation, type ChatMessage, type ConversationRecord, type RecordTokens } from '@lachesis/protocol';

/** One attempt at a task, with what it earned. */
export interface RolledOut {
  /** Its id, where its environment gave one. */
  readonly id: string | null;
  readonly score: number;
  /** The whole conversation, its replies included. */
  readonly messages: ChatMessage[];
  /** What was sampled; null where the history was rewritten on the way, and one sequence does not hold it. */
  readonly tokens: RecordTokens | null;
}

/** The attempts at one task that were scored. */
export interface RolledOutGroup {
  readonly id: string;
  /** Where it comes from, such as its run and step; kept with each row. */
  readonly origin: Readonly<Record<string, unknown>>;
  readonly rollouts: readonly RolledOut[];
}

/** An attempt as a row of data, with its score as its reward. */
export function toConversation(group: RolledOutGroup, rollout: RolledOut, place: number): ConversationRecord {
  const { score, messages, tokens } = rollout;
  return makeConversation({
    ...{ id: rollout.id ?? `${group.id}/${place}`, messages, tokens, reward: score },
    extra: { rollout: originOf(group, rollout) },
  });
}

/** What a row says of where it was sampled. */
export const originOf = (group: RolledOutGroup, { id, score }: RolledOut): Record<string, unknown> => ({
  ...group.origin,
  ...{ group_id: group.id, rollout_id: id, score },
});
