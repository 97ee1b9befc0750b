import { HEADERS } from '@lachesis/protocol';
import type { AgentResult } from '@lachesis/sdk/agent';
import { createRecorder, recordFetch } from '@lachesis/sdk/capture';

/** Keeps what the agent does, as a trajectory of its own. */
export interface AgentRecording {
  /** The key it is kept under; undefined when nothing is recorded. */
  trajectory: string | undefined;
  fetch: typeof fetch;
  headers: Readonly<Record<string, string>>;
  /** Says how it ended, and waits until what is recorded has been handed over. */
  close(result: AgentResult | undefined): Promise<void>;
}

const SOURCE = 'lachesis-agent';

export function openAgentRecording(options: {
  home: string | undefined;
  isOn: boolean;
  send?: typeof fetch | undefined;
}): AgentRecording {
  const { home, isOn, send = fetch } = options;
  if (!isOn) return { trajectory: undefined, fetch: send, headers: {}, close: async () => undefined };
  const recorder = createRecorder({ home });
  const trajectory = `agent-${crypto.randomUUID()}`;
  const labels = { trajectory, tags: [SOURCE] };
  return {
    trajectory,
    fetch: recordFetch(send, { recorder, source: SOURCE, ...labels }),
    // A gateway of ours records the calls itself, and then under this key too.
    headers: { [HEADERS.trajectory]: trajectory },
    async close(result) {
      if (result !== undefined) {
        const { messages, reason } = result;
        // Calls that the model asked for last, and whose results it never saw, are in no recorded call.
        if (messages.at(-1)?.role === 'tool') {
          recorder.record({ ...labels, kind: 'messages', source: SOURCE, model: null, messages, tools: null });
        }
        const outcome = reason === 'answered' ? 'finished' : 'failed';
        recorder.record({ ...labels, kind: 'end', outcome, reward: null, reason });
      }
      await recorder.close();
    },
  };
}
