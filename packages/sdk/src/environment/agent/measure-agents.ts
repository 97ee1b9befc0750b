import { mean } from '@lachesis/protocol';
import type { GradedRollout } from '../definition.ts';
import { isAgentRolloutResult } from './agent-result.ts';

/** What every agent environment logs besides what all environments do. Means over the rollouts that gave a result. */
export function measureAgents(rollouts: readonly GradedRollout[]): Record<string, number> {
  const results = rollouts.flatMap(({ result }) => (isAgentRolloutResult(result) ? [result] : []));
  if (results.length === 0) return {};
  const average = (read: (result: (typeof results)[number]) => number): number => mean(results.map(read));
  const logs = results.flatMap(({ networkLog }) => (networkLog === undefined ? [] : [networkLog]));
  return {
    ...(logs.length === 0
      ? {}
      : {
          network_requests: mean(logs.map((log) => log.length)),
          network_refused: mean(logs.map((log) => log.filter(({ verdict }) => verdict !== 'allowed').length)),
        }),
    agent_turns: average(({ turnsUsed }) => turnsUsed),
    tool_calls: average(({ toolCalls }) => toolCalls.length),
    tool_errors: average(({ toolErrors }) => toolErrors.length),
    parse_failures: average(({ parseFailures }) => parseFailures),
    finished_rate: average(({ finishedNaturally }) => (finishedNaturally ? 1 : 0)),
    // Rows besides the first: what the template makes of a conversation, and what it costs.
    forked_rows: average(({ turns }) => turns.filter(({ isFork }) => isFork).length),
  };
}
