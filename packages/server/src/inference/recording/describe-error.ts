import { LachesisError } from '@lachesis/protocol';
import { MAX_ERROR_MESSAGE, type CallError } from '@lachesis/sdk/capture';

/** What we answer a call with that has failed here. */
export function describeThrown(thrown: unknown): CallError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    message: message.slice(0, MAX_ERROR_MESSAGE),
    status: LachesisError.isInstance(thrown) ? thrown.status : 500,
  };
}
