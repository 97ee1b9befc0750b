import type { RouteCall } from '../../http/route.ts';
import type { InferenceMetrics } from '../metrics.ts';
import { readCompletionCall, type CompletionCall } from './completion-call.ts';
import type { InFlightLimit } from './in-flight-limit.ts';

export interface GuardParts {
  limit: InFlightLimit;
  metrics: InferenceMetrics;
  /** Turns what a backend throws into what the caller reads. */
  toError: (thrown: unknown) => unknown;
}

/** Runs a completion in one of the places, tied to its connection. A caller who left gets no answer, and is no error. */
export async function guardCompletion<T>(
  { limit, metrics, toError }: GuardParts,
  { request, reply }: RouteCall,
  run: (call: CompletionCall) => Promise<T>,
): Promise<T | undefined> {
  const leave = limit.enter();
  try {
    const call = readCompletionCall(request, reply);
    try {
      return await run(call);
    } catch (error) {
      if (!call.signal.aborted) throw toError(error);
      metrics.cancelled.inc();
      reply.hijack();
      return undefined;
    }
  } finally {
    leave();
  }
}
