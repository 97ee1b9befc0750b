import { TinkerTransportError } from '../errors/client-errors.ts';
import { TinkerValidationError } from '../errors/server-errors.ts';
import type { OperationPart } from './operation-queue.ts';

/**
 * Posts a load. Servers that load only into a fresh model refuse one that was sent again because its reply was lost, with
 * words that would tell the caller it had made a mistake.
 */
export async function loadOnce(
  part: OperationPart,
  options: Parameters<OperationPart['post']>[0],
): Promise<{ requestId: string }> {
  try {
    return await part.post(options);
  } catch (error) {
    if (!TinkerValidationError.isInstance(error) || !error.outcomeUnknown) throw error;
    const { operation, status } = error;
    const reason = 'its reply was lost, and the server loads into a model once; load into another one';
    throw new TinkerTransportError({ operation, status, reason, outcomeUnknown: true, cause: error });
  }
}
