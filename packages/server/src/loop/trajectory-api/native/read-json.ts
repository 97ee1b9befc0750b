import { LachesisError, toIssues } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** Requests of the native door other than groups are small. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Reads and checks a JSON body; an empty one counts as `{}`. */
export function readJson<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (body.length > MAX_JSON_BYTES) {
    throw new LachesisError({ code: 'too-large', message: `this request takes at most ${MAX_JSON_BYTES} bytes` });
  }
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  throw new LachesisError({
    code: 'invalid',
    message: 'the body does not fit this request',
    hint: 'GET /openapi.json describes it.',
    issues: toIssues(parsed.error.issues),
  });
}

function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new LachesisError({ code: 'bad-request', message: 'the body is not JSON', cause: error });
  }
}
