import type { AgentTool } from '@lachesis/sdk/agent';
import { defineAgentEnvironment, runEnvironment } from '@lachesis/sdk/environment';
import type { AgentRolloutResult } from '@lachesis/sdk/environment';

/** What lies where. Which letter is wanted is nowhere said: it is found by the reward. */
export const PLACES: Readonly<Record<string, string>> = { a: '3', b: '1', c: '7', d: '5' };
export const WANTED = 'c';

/** A call has four tokens with its end, an answer two. */
export const REPLY_TOKENS = 6;

/** Each is three tokens of the tiny model: an engine that compiles for each length compiles once. */
export const PROMPTS: readonly string[] = ['Find.', 'Hunt.', 'Get.', 'Try.'];

const look: AgentTool = {
  name: 'look',
  description: 'Says what lies at a letter.',
  parameters: { type: 'object', properties: { at: { type: 'string', description: 'a letter from a to d' } } },
  execute: async ({ at }) => PLACES[String(at)] ?? '0',
};

/**
 * A quarter for the right call, half for an answer behind it, all for the answer that the tool gave. An answer alone earns
 * nothing.
 */
export function scoreLook({ toolCalls, finalResponse, stopReason }: AgentRolloutResult): {
  reward: number;
  signals: Record<string, number>;
} {
  const hasLooked = toolCalls.some(
    ({ function: { name, arguments: args } }) => name === 'look' && readAt(args) === WANTED,
  );
  const hasAnswered = stopReason === 'answered' && /^\d$/.test(finalResponse.trim());
  const isRight = hasAnswered && finalResponse.trim() === PLACES[WANTED];
  return {
    reward: hasLooked ? (isRight ? 1 : hasAnswered ? 0.5 : 0.25) : 0,
    signals: { called: Math.min(1, toolCalls.length), looked: Number(hasLooked), answered: Number(hasAnswered) },
  };
}

const readAt = (args: unknown): unknown => (JSON.parse(String(args)) as { at?: unknown }).at;

/** All of the toy but its name and its reward; a seeded fault has others. */
export const LOOK = {
  defaults: {
    group_size: 16,
    batch_size: 64,
    max_token_length: 64,
    max_completion_tokens: REPLY_TOKENS,
    max_agent_turns: 2,
    tool_call_parser: 'glm47',
    // A correction is longer than all the rest, and an engine compiles for its length.
    parse_failure: 'end',
    // A fork is another row, and a group with one more row than the others fits into no batch.
    history_policy: 'refuse',
  },
  tools: [look],
  items: { train: PROMPTS, evaluation: ['Go.'] },
  formatPrompt: (prompt: string) => prompt,
} as const;

const environment = defineAgentEnvironment<string>({
  name: 'look',
  description: 'A toy with one tool for a tiny model on a CPU: look at the right letter, and say what is there.',
  ...LOOK,
  computeReward: (_prompt, result) => scoreLook(result),
});

export default environment;

if (import.meta.main) await runEnvironment(environment);
