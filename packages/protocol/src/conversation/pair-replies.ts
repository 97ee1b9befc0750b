import type { TrajectoryDetail } from '../library/library.ts';
import { messageText, splitThinking } from './message-text.ts';

/** Trajectories two and two: the same first request, and another last reply. */
export async function* pairReplies(
  details: AsyncIterable<TrajectoryDetail>,
): AsyncGenerator<readonly [TrajectoryDetail, TrajectoryDetail], void> {
  const waiting = new Map<string, TrajectoryDetail>();
  for await (const detail of details) {
    const first = detail.turns[0];
    if (first === undefined || lastReply(detail) === '') continue;
    const asked = JSON.stringify(first.messages.map((message) => [message.role, messageText(message)]));
    const other = waiting.get(asked);
    if (other === undefined) waiting.set(asked, detail);
    else if (lastReply(other) !== lastReply(detail)) {
      waiting.delete(asked);
      yield [other, detail];
    }
  }
}

/** What was said last, as text and without the thinking before it. */
export function lastReply({ turns }: TrajectoryDetail): string {
  const message = turns.findLast(({ replies }) => replies.length > 0)?.replies[0]?.message;
  return message === undefined ? '' : splitThinking(message).text;
}
