import { LachesisError, toIssues } from '@lachesis/protocol';
import type { z } from 'zod';
import type { RouteCall } from '../../../platform/http/route.ts';

/** Reads and checks a JSON body; an empty one counts as `{}`. */
export async function readJson<S extends z.ZodType>(call: RouteCall, schema: S): Promise<z.output<S>> {
  const { body } = call.request;
  const isEmpty = !(body instanceof Uint8Array) || body.length === 0;
  const parsed = schema.safeParse(isEmpty ? {} : await call.readJson());
  if (parsed.success) return parsed.data;
  throw new LachesisError({
    code: 'invalid',
    message: 'the body does not fit this request',
    hint: 'GET /openapi.json describes it.',
    issues: toIssues(parsed.error.issues),
  });
}
