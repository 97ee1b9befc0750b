import { LachesisError } from '@lachesis/protocol';
import type { z } from 'zod';

/** The JSON of a request, checked; what does not fit is refused with what would. */
export function readBody<T>(
  body: unknown,
  { schema, message, hint }: { schema: z.ZodType<T>; message: string; hint: string },
): T {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new LachesisError({ code: 'bad-request', message: 'the body is not JSON', cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LachesisError({ code: 'invalid', message, hint });
}
