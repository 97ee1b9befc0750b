import { LachesisError, toIssues } from '@lachesis/protocol';
import type { z } from 'zod';

/** Checks a body. What does not fit is 400, as with OpenAI: its clients know no other refusal of parameters. */
export function checkBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = toIssues(parsed.error.issues);
  const first = issues[0];
  throw new LachesisError({
    code: 'bad-request',
    message: first === undefined ? 'the body does not fit this request' : `${first.field}: ${first.message}`,
    hint: 'GET /openapi.json describes it.',
    issues,
  });
}

/** One parameter that cannot be used, with what to do instead. */
export const badParameter = (field: string, message: string, hint?: string): LachesisError =>
  new LachesisError({
    code: 'bad-request',
    message: `${field} ${message}`,
    issues: [{ sequence: null, field, message }],
    ...(hint === undefined ? {} : { hint }),
  });
