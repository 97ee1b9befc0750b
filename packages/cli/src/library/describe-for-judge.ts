import type { TrajectoryDetail } from '@lachesis/protocol';
import { joinMessages, splitThinking } from '@lachesis/protocol/conversation';

/** What a judge is shown at most: beyond it a small judge forgets the rubric. */
const LONGEST_ANSWER = 60_000;

/** The task and the answer. Where tools were used the way to the answer is shown too; thinking is not graded. */
export function describeForJudge({ turns }: TrajectoryDetail): {
  answer: string;
  messages: { role: string; content: string }[];
} {
  const messages = joinMessages(turns);
  const firstReply = messages.findIndex(({ role }) => role === 'assistant');
  const task = firstReply === -1 ? messages : messages.slice(0, firstReply);
  const steps = firstReply === -1 ? [] : messages.slice(firstReply);
  const isPlain = steps.length === 1 && (steps[0]?.tool_calls ?? []).length === 0;
  const lines = steps.flatMap((message) => {
    const { text } = splitThinking(message);
    const calls = (message.tool_calls ?? []).map((call) => `[calls ${call.function.name} ${call.function.arguments}]`);
    const said = text.trim() === '' ? [] : [isPlain ? text.trim() : `${message.role}: ${text.trim()}`];
    return [...said, ...calls];
  });
  const answer = lines.join('\n');
  return {
    // The end is what counts: it holds the answer itself.
    answer: answer.length > LONGEST_ANSWER ? `[…]\n${answer.slice(-LONGEST_ANSWER)}` : answer,
    messages: task.map((message) => ({ role: message.role, content: splitThinking(message).text })),
  };
}
