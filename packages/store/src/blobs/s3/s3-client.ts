import { setTimeout as sleep } from 'node:timers/promises';
import { BlobsRefusedError, BlobsUnavailableError } from '../../errors/blob-errors.ts';
import { DiskFullError } from '../../errors/disk-full-error.ts';
import { callStore, type CallStore } from './call-store.ts';
import { readElement } from './read-elements.ts';
import type { S3Place } from './s3-place.ts';
import { signRequest } from './sign-request.ts';

/** One call to the object store. */
export interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  /** After the prefix; empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  /** Answers beside 2xx that the caller understands. */
  expect?: readonly number[];
  /** A second try could undo what somebody did after the first. */
  isOnce?: boolean;
}

/** A whole answer. */
export interface S3Reply {
  status: number;
  headers: Headers;
  body: Uint8Array;
}

export type SendRequest = (request: S3Request) => Promise<S3Reply>;

export interface S3ClientOptions {
  place: S3Place;
  /** Parts that a test replaces. */
  fetch?: CallStore;
  pause?: (ms: number) => Promise<unknown>;
  random?: () => number;
  monotonic?: () => number;
  /** After this a call that keeps failing is given up. */
  deadlineMs?: number;
}

/** A server that restarts, or moves to another machine, is back before that; who waits has not given up. */
const DEADLINE_MS = 30_000;
/** A try without an answer is given up sooner, so that a lost connection leaves time for another. */
const TRY_MS = 10_000;
/** The slowest line that is waited for. */
const SLOWEST_BYTES_PER_MS = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504]);
const FULL = /^(?:507|QuotaExceeded|XMinioStorageFull|InsufficientStorage)$/;

/** Signs calls, and makes them again until they succeed, are refused for good, or the deadline has passed. */
export function createS3Client(options: S3ClientOptions): SendRequest {
  const { place, fetch: call = callStore, pause = sleep, random = Math.random } = options;
  const { monotonic = () => performance.now(), deadlineMs = DEADLINE_MS } = options;

  async function attempt(request: S3Request, timeoutMs: number): Promise<S3Reply> {
    const { method, key, query = {}, headers, body } = request;
    const url = new URL(key === '' ? place.bucketUrl : `${place.bucketUrl}${place.prefix}${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await call(url, {
      // Signed anew at each try: a signature is good for minutes.
      ...{ method, headers: signRequest({ place, method, url, headers, now: new Date() }), redirect: 'error' },
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
    });
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
  }

  return async (request) => {
    const started = monotonic();
    const bytes = request.body?.length ?? 0;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      let failure: { detail: string; cause?: unknown };
      const leftMs = Math.max(1, deadlineMs - (monotonic() - started));
      try {
        const reply = await attempt(request, Math.min(leftMs, TRY_MS + bytes / SLOWEST_BYTES_PER_MS));
        if (isUnderstood(request, reply)) return reply;
        if (!PASSING.has(reply.status)) throw toRefusal(request, reply, place);
        failure = { detail: `${reply.status} ${readCode(reply)}`.trim() };
      } catch (error) {
        if (BlobsRefusedError.isInstance(error) || DiskFullError.isInstance(error)) throw error;
        failure = { detail: describe(error), cause: error };
      }
      // All of the pause but a random part: servers that were cut off together do not come back together.
      const waitMs = pauseMs * (0.5 + random() / 2);
      if (request.isOnce === true || monotonic() - started + waitMs >= deadlineMs) {
        throw new BlobsUnavailableError({ place: place.place, ...failure });
      }
      await pause(waitMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  };
}

const isUnderstood = ({ expect = [] }: S3Request, { status }: S3Reply): boolean =>
  (status >= 200 && status < 300) || expect.includes(status);

const readCode = ({ body }: S3Reply): string => readElement(new TextDecoder().decode(body), 'Code') ?? '';

function toRefusal(request: S3Request, reply: S3Reply, { place }: S3Place): Error {
  const code = readCode(reply);
  if (FULL.test(String(reply.status)) || FULL.test(code))
    return new DiskFullError({ target: `${place}/${request.key}` });
  const requestId = reply.headers.get('x-amz-request-id') ?? undefined;
  const { method, key } = request;
  return new BlobsRefusedError({ place, call: `${method} ${key}`.trim(), status: reply.status, code, requestId });
}

/** What `fetch` throws says little; its cause says what happened. */
function describe(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
