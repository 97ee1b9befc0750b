import { LachesisError } from '@lachesis/protocol';
import type { z } from 'zod';
import type { RouteCall } from '../../platform/http/route.ts';

/** The JSON of a request, checked; what does not fit is refused with what would. */
export async function readBody<T>(
  call: RouteCall,
  { schema, message, hint }: { schema: z.ZodType<T>; message: string; hint: string },
): Promise<T> {
  const parsed = schema.safeParse(await call.readJson());
  if (parsed.success) return parsed.data;
  throw new LachesisError({ code: 'invalid', message, hint });
}
