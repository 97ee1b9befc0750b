import { LachesisError } from '@lachesis/protocol';
import { RenderError } from '@lachesis/sdk/render';
import { TinkerError, TinkerRateLimitedError, TinkerValidationError } from '@lachesis/tinker';

const DEFAULT_RETRY_SECONDS = 2;

/** Turns what an engine or the renderer throws into what a caller reads. */
export function toLachesisError(thrown: unknown): unknown {
  if (RenderError.isInstance(thrown)) {
    return new LachesisError({
      code: 'bad-request',
      message: thrown.message,
      issues: [{ sequence: null, field: 'messages', message: thrown.message }],
      cause: thrown,
    });
  }
  if (!TinkerError.isInstance(thrown)) return thrown;
  if (TinkerValidationError.isInstance(thrown)) {
    const issues = thrown.fields.map(({ field, reason }) => ({ sequence: null, field, message: reason }));
    return new LachesisError({ code: 'bad-request', message: thrown.message, issues, cause: thrown });
  }
  if (TinkerRateLimitedError.isInstance(thrown)) {
    return new LachesisError({
      code: 'back-pressure',
      message: thrown.message,
      retryAfterSeconds: Math.ceil((thrown.retryAfterMs ?? DEFAULT_RETRY_SECONDS * 1000) / 1000),
      cause: thrown,
    });
  }
  // What comes back broken stays broken: NaN, or a reply that breaks the protocol.
  const isBroken = thrown.kind === 'stopped' || thrown.kind === 'protocol';
  return new LachesisError({
    code: isBroken ? 'internal' : 'unavailable',
    message: thrown.message,
    ...(isBroken ? {} : { retryAfterSeconds: DEFAULT_RETRY_SECONDS }),
    hint: 'The engine could not answer; its own log says more.',
    cause: thrown,
  });
}

/** Whether it says that the engine is unwell, and not that the request was. */
export const isEngineFailure = (thrown: unknown): boolean =>
  TinkerError.isInstance(thrown) && !['validation', 'abandoned', 'rate-limited', 'billing'].includes(thrown.kind);
