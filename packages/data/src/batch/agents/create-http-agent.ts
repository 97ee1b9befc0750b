import { type Clock, realClock } from '@lachesis/protocol';
import type { BatchAgent, BatchTask } from '../batch-agent.ts';
import { BatchError } from '../batch-error.ts';
import type { CostMeter } from '../cost-meter.ts';
import type { RequestGate } from '../request-gate.ts';
import { createOutage } from './create-outage.ts';
import { readConversation } from './read-conversation.ts';

const TIMEOUT_MS = 30 * 60_000;
const KEPT_REASON = 300;

export interface HttpAgentOptions {
  url: string;
  apiKey?: string | undefined;
  gate: RequestGate;
  meter: CostMeter;
  /** Told to the server with each prompt. */
  about: Readonly<Record<string, unknown>>;
  /** Aborted when nothing should be asked any more; what was asked is waited for. */
  stopping: AbortSignal;
  /** Told once when the server answers nobody any more. */
  onOutage?: ((reason: string) => void) | undefined;
  fetch?: typeof fetch;
  clock?: Clock;
  timeoutMs?: number;
}

/** A server that is the agent: the task is posted as JSON, the reply is the conversation. */
export function createHttpAgent(options: HttpAgentOptions): BatchAgent {
  const { url, apiKey, gate, meter, about, stopping, onOutage } = options;
  const { fetch = globalThis.fetch, clock = realClock, timeoutMs = TIMEOUT_MS } = options;
  const outage = createOutage({ gate, clock, onOutage });
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const run = async ({ index, attempt, input, signal }: BatchTask) => {
    const body = JSON.stringify({ ...input, index, attempt, ...about });
    for (;;) {
      await gate.enter(AbortSignal.any([signal, stopping]));
      signal.throwIfAborted();
      if (stopping.aborted) throw new BatchError({ kind: 'released', what: 'The work was ended before the call' });
      meter.check();
      let response: Response;
      try {
        const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        response = await fetch(url, { method: 'POST', headers, body, signal: ending });
      } catch (error) {
        signal.throwIfAborted();
        // A time that ran out is told by another kind of error: it is about this prompt.
        if (!(error instanceof TypeError)) throw error;
        await outage.wait(new Error(`The agent at ${new URL(url).origin} does not answer: ${describeCause(error)}`));
        continue;
      }
      outage.end();
      const text = await response.text();
      if (response.status === 429) {
        const seconds = Number(response.headers.get('retry-after') ?? '1');
        await gate.pause((Number.isFinite(seconds) && seconds >= 0 ? seconds : 1) * 1000);
        continue;
      }
      if (!response.ok) {
        throw new BatchError({
          kind: 'attempt',
          what: `The agent at ${new URL(url).origin} answered with ${response.status}: ${text.slice(0, KEPT_REASON)}`,
        });
      }
      const answer = readConversation(text, input, `the agent at ${new URL(url).origin}`);
      meter.add(answer.cost);
      return answer;
    }
  };
  return { run };
}

/** The reason that `fetch` hides. */
const describeCause = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message);
