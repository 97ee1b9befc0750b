import type { ChatMessage, readRules, TrajectoryDetail } from '@lachesis/protocol';
import { joinMessages, splitThinking } from '@lachesis/protocol/conversation';

export type FeedbackRule = Extract<ReturnType<typeof readRules>, { rules: unknown }>['rules'][number];

export interface RuleGrade {
  rule: FeedbackRule;
  score: number;
}

/** What a rule can look at. */
interface RuleFacts {
  /** The last words of the model; undefined when it never answered. */
  reply: string | undefined;
  /** The tools that were called. */
  tools: readonly string[];
  hasError: boolean;
}

/** What each rule says of a trajectory; a rule that does not apply says nothing. */
export function gradeByRules(detail: TrajectoryDetail, rules: readonly FeedbackRule[]): RuleGrade[] {
  const { summary, turns } = detail;
  const messages = turns.flatMap(({ replies }) => replies.map(({ message }) => message));
  const hasError = summary.error_count > 0 || turns.some(({ error }) => error !== null);
  return gradeFacts({ reply: readLastReply(detail), tools: messages.flatMap(listCalls), hasError }, rules);
}

/** What each rule says of a reply that stands alone. */
export function gradeReply(message: ChatMessage, rules: readonly FeedbackRule[]): RuleGrade[] {
  const reply = splitThinking(message).text.trim();
  return gradeFacts({ reply, tools: listCalls(message), hasError: false }, rules);
}

const listCalls = ({ tool_calls: calls }: ChatMessage): string[] => (calls ?? []).map((call) => call.function.name);

function gradeFacts(facts: RuleFacts, rules: readonly FeedbackRule[]): RuleGrade[] {
  return rules.flatMap((rule) => {
    const isMet = test(rule, facts);
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

function test({ when }: FeedbackRule, { reply, tools, hasError }: RuleFacts): boolean | undefined {
  if ('error' in when) return hasError === when.error;
  if ('tool' in when) return tools.includes(when.tool);
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
