import { LachesisError, toLachesisError, type ErrorBody } from '@lachesis/protocol';
import { StaleWriteError } from '@lachesis/store';
import { DiskFullError } from '@lachesis/store/blobs';

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** Turns anything thrown into what the caller reads. What we did not expect keeps its details to the log. */
export function toErrorReply(thrown: unknown): ErrorReply {
  const error = fromFramework(thrown) ?? fromStore(thrown) ?? toLachesisError(thrown);
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  return { status: error.status, headers, body: error.toBody() };
}

/** Fastify's own refusals carry a status: a body over the limit, a length that lies. */
function fromFramework(thrown: unknown): LachesisError | null {
  const { statusCode, message } = facts(thrown);
  if (LachesisError.isInstance(thrown) || typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499)
    return null;
  return new LachesisError({
    code: statusCode === 413 ? 'too-large' : 'bad-request',
    message: typeof message === 'string' ? message : 'the request could not be read',
    cause: thrown,
  });
}

function fromStore(thrown: unknown): LachesisError | null {
  if (LachesisError.isInstance(thrown)) return null;
  if (DiskFullError.isInstance(thrown)) return diskFullError(thrown);
  // Who is overtaken by other processes again and again has been told nothing yet, as when the database is away.
  if (facts(thrown).retryable !== true && !StaleWriteError.isInstance(thrown)) return null;
  return new LachesisError({
    code: 'unavailable',
    message: 'the database, or the place of the payloads, does not answer',
    hint: 'Nothing was acknowledged; send the same request again.',
    retryAfterSeconds: 2,
    cause: thrown,
  });
}

function facts(thrown: unknown): { statusCode?: unknown; message?: unknown; retryable?: unknown } {
  return typeof thrown === 'object' && thrown !== null ? thrown : {};
}

/** Nothing was acknowledged, and nothing will be until somebody makes room. */
export function diskFullError(cause?: unknown): LachesisError {
  return new LachesisError({
    code: 'disk-full',
    message: 'there is no room to store this',
    hint: 'Nothing was acknowledged. Free disk space on the server; it accepts again by itself.',
    retryAfterSeconds: 10,
    cause,
  });
}
