import { TinkerConflictError, TinkerJobFailedError, TinkerPromiseExpiredError } from '../errors/server-errors.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { Deadline } from '../transport/deadline.ts';
import { postTraining } from './post-training.ts';

/** Numbers start at 1. */
const NO_SEQUENCE = 0;

/**
 * Asks a strict server which number it waits for: a pass without gradients, under a number that no request can have, is
 * refused with the answer and changes nothing, also on a server that does not refuse it. Undefined when it does not tell.
 */
export async function askSequence(options: {
  link: ServerLink;
  modelId: string;
  deadline: Deadline;
}): Promise<number | undefined> {
  const { link, modelId, deadline } = options;
  const datum = {
    tokens: Int32Array.of(0),
    inputs: { target_tokens: Int32Array.of(0), weights: Float32Array.of(0) },
  };
  const request = { modelId, seqId: NO_SEQUENCE, datums: [datum], loss: 'cross_entropy', forwardOnly: true };
  try {
    const { requestId } = await postTraining({ link, request, deadline, onAmbiguous: () => undefined });
    await link.future({ requestId, operation: 'forward', binary: true, deadline });
  } catch (error) {
    if (TinkerConflictError.isInstance(error)) return error.expected;
    if (!TinkerJobFailedError.isInstance(error) && !TinkerPromiseExpiredError.isInstance(error)) throw error;
  }
  return undefined;
}
