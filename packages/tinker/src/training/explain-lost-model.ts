import { TinkerJobFailedError, TinkerNotFoundError } from '../errors/server-errors.ts';

/** SkyRL: "Model model_1 not loaded" from a job, "Model not found" to a request. */
const LOST = /\bmodel\b.*\bnot (?:found|loaded)\b/i;

/** A model that the server has no more went with a restart or with its session. Trying again does not bring it back. */
export function explainLostModel(error: unknown): unknown {
  const isKnown = TinkerJobFailedError.isInstance(error) || TinkerNotFoundError.isInstance(error);
  if (!isKnown || !LOST.test(error.message)) return error;
  const { operation, requestId, status } = error;
  const detail =
    'the model is gone, with a restart of the server or with its session; go on from the last saved state with createTrainingFromState';
  return new TinkerNotFoundError({ operation, requestId, status, detail, cause: error });
}
