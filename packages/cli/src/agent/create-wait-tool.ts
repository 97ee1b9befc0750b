import type { AgentTool } from '@lachesis/sdk/agent';
import { defineFieldTool } from './tool-fields.ts';

/** As long as the longest time between two answers about a run. */
const LONGEST_SECONDS = 1_800;

/** A run takes hours; a model that cannot wait asks again and again. */
export function createWaitTool({ sleep }: { sleep: (ms: number, signal: AbortSignal) => Promise<void> }): AgentTool {
  return defineFieldTool({
    name: 'wait',
    description: 'Waits, such as for the seconds that rl_check_status says are left. Costs nothing.',
    fields: {
      seconds: { type: 'integer', description: 'how long', minimum: 1, maximum: LONGEST_SECONDS },
    },
    timeoutMs: (LONGEST_SECONDS + 60) * 1_000,
    execute: async ({ seconds }, signal) => {
      await sleep(seconds * 1_000, signal);
      signal.throwIfAborted();
      return { waited_seconds: seconds };
    },
  });
}
