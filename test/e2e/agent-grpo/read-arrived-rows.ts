import { MASKED } from '@lachesis/protocol';
import type { GroupPayload } from '@lachesis/protocol/codec';

import type { TrainedRow } from './compare-spans.ts';

export interface ArrivedRow extends TrainedRow {
  readonly rolloutId: string;
  /** Replies in the conversation of its rollout. */
  readonly replies: number;
}

/** The sequences of a group as a trainer gets it. */
export function readPayloadRows({ header, tokens, masks, inferenceLogprobs, json }: GroupPayload): ArrivedRow[] {
  const conversations = JSON.parse(new TextDecoder().decode(json?.messages)) as Conversation[];
  let start = 0;
  return Array.from(tokens.rowLengths, (length, index) => {
    const [from, to] = [start, start + length];
    start = to;
    return {
      rolloutId: header.rollout_ids[index] ?? '',
      replies: countReplies(conversations[index]),
      tokens: Array.from(tokens.values.subarray(from, to)),
      isTrained: Array.from(masks.values.subarray(from, to), (id) => id !== MASKED),
      logprobs: Array.from(inferenceLogprobs?.values.subarray(from, to) ?? []),
    };
  });
}

type Conversation = readonly { readonly role: string }[];

const countReplies = (conversation: Conversation = []): number =>
  conversation.filter(({ role }) => role === 'assistant').length;
