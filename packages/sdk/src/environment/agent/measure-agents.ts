import type { GradedRollout } from '../definition.ts';
import { isAgentResult } from './agent-result.ts';

/** What every agent environment logs besides what all environments do. Means over the rollouts that gave a result. */
export function measureAgents(rollouts: readonly GradedRollout[]): Record<string, number> {
  const results = rollouts.flatMap(({ result }) => (isAgentResult(result) ? [result] : []));
  if (results.length === 0) return {};
  const mean = (read: (result: (typeof results)[number]) => number): number =>
    results.reduce((sum, result) => sum + read(result), 0) / results.length;
  return {
    agent_turns: mean(({ turnsUsed }) => turnsUsed),
    tool_calls: mean(({ toolCalls }) => toolCalls.length),
    tool_errors: mean(({ toolErrors }) => toolErrors.length),
    parse_failures: mean(({ parseFailures }) => parseFailures),
    finished_rate: mean(({ finishedNaturally }) => (finishedNaturally ? 1 : 0)),
    // Rows besides the first: what the template makes of a conversation, and what it costs.
    forked_rows: mean(({ turns }) => turns.filter(({ isFork }) => isFork).length),
  };
}
