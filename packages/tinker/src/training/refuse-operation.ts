import { TinkerStoppedError } from '../errors/client-errors.ts';
import type { OperationHandle } from './operation-queue.ts';

/** A handle of an operation that was refused before it took a place in the line. */
export function refuseOperation<T>(error: Error): OperationHandle<T> {
  const result = Promise.reject<T>(error);
  const submitted = Promise.reject<void>(error);
  result.catch(() => undefined);
  submitted.catch(() => undefined);
  return Object.assign(result, { submitted, requestId: undefined });
}

/** What a closed or stopped client answers. */
export const refuseStopped = <T>(operation: string, reason: string): OperationHandle<T> =>
  refuseOperation<T>(new TinkerStoppedError({ operation, reason }));
