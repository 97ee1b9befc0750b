import type { CallRecord } from '@lachesis/protocol';

import type { MeantCall, ReplyFacts } from './make-replies.ts';

export type RecordedCall = Pick<CallRecord, 'state' | 'replies' | 'usage' | 'error' | 'model' | 'tools'>;

/** What a record says, in the words that all three recorders have. */
export function factsOf({ state, replies, usage }: RecordedCall): ReplyFacts {
  const [reply] = replies;
  const { content, refusal, reasoning_content: named, reasoning, tool_calls: calls } = reply?.message ?? { role: '' };
  const said = typeof content === 'string' ? content : '';
  return {
    state,
    text: said + (typeof refusal === 'string' ? refusal : ''),
    reasoning: typeof named === 'string' ? named : typeof reasoning === 'string' ? reasoning : '',
    calls: (calls ?? []).map(({ id, function: { name, arguments: text } }): MeantCall => ({
      ...{ id: id ?? undefined, name, arguments: text },
    })),
    finish: reply?.finish_reason ?? null,
    usage,
  };
}

/** The fields in which they differ. An id that nobody sent is made up by some clients, and is not compared. */
export function compareFacts(
  found: ReplyFacts,
  meant: ReplyFacts,
  without: readonly (keyof ReplyFacts)[] = [],
): string[] {
  const calls = found.calls.map((call, index) =>
    meant.calls[index]?.id === undefined ? { ...call, id: undefined } : call,
  );
  const compared = { ...found, calls };
  return (Object.keys(meant) as (keyof ReplyFacts)[]).filter(
    (field) => !without.includes(field) && JSON.stringify(compared[field]) !== JSON.stringify(meant[field]),
  );
}
