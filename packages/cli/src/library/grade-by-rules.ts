import type { TrajectoryDetail } from '@lachesis/protocol';
import { joinMessages } from './join-messages.ts';
import { splitThinking } from './message-text.ts';
import type { FeedbackRule } from './read-rules.ts';

export interface RuleGrade {
  rule: FeedbackRule;
  score: number;
}

/** What each rule says of a trajectory; a rule that does not apply says nothing. */
export function gradeByRules(detail: TrajectoryDetail, rules: readonly FeedbackRule[]): RuleGrade[] {
  const reply = readLastReply(detail);
  return rules.flatMap((rule) => {
    const isMet = test(rule, detail, reply);
    if (isMet === undefined) return [];
    const score = isMet ? rule.score : rule.otherwise;
    return score === undefined ? [] : [{ rule, score }];
  });
}

/** The last words of the model; undefined when it never answered. */
export function readLastReply({ turns }: TrajectoryDetail): string | undefined {
  const last = joinMessages(turns).findLast(({ role }) => role === 'assistant');
  return last === undefined ? undefined : splitThinking(last).text.trim();
}

function test(
  { when }: FeedbackRule,
  { summary, turns }: TrajectoryDetail,
  reply: string | undefined,
): boolean | undefined {
  if ('error' in when) {
    const hasError = summary.error_count > 0 || turns.some(({ error }) => error !== null);
    return hasError === when.error;
  }
  if ('tool' in when) {
    return turns.some(({ replies }) =>
      replies.some(({ message }) => (message.tool_calls ?? []).some((call) => call.function.name === when.tool)),
    );
  }
  // A call that failed has no reply that could be too short.
  if (reply === undefined) return undefined;
  if ('contains' in when) return reply.toLowerCase().includes(when.contains.toLowerCase());
  if ('regex' in when) return new RegExp(when.regex, 'u').test(reply);
  if ('json' in when) return isJson(reply) === when.json;
  const { min = 0, max = Number.POSITIVE_INFINITY } = when.length;
  return reply.length >= min && reply.length <= max;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // That it is none is the answer.
    return false;
  }
}
