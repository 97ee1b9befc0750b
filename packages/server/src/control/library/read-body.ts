import { LachesisError, toIssues } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RouteCall } from '../../platform/http/route.ts';
import { createBreather } from '../../platform/json/breathe.ts';

/** Issues that are named; a thousand records with the same fault need not be told a thousand times. */
const MOST_ISSUES = 20;

const MISFIT = 'the body does not fit this request';

/** Reads and checks a JSON body; an empty one counts as `{}`. */
export async function readBody<S extends z.ZodType>(call: RouteCall, schema: S): Promise<z.output<S>> {
  const { body } = call.request;
  const isEmpty = !(body instanceof Uint8Array) || body.length === 0;
  return check(isEmpty ? {} : await call.readJson(), schema, MISFIT);
}

/**
 * Reads and checks a JSON body that is a long list and little else: `key` names the list in `schema`. Its elements are
 * read and checked one by one, with other requests let in between.
 */
export async function readListBody<S extends z.ZodObject, Item extends z.ZodType>(
  call: RouteCall,
  { key, schema, item }: { key: string; schema: S; item: Item },
): Promise<{ frame: z.output<S>; items: z.output<Item>[] }> {
  const value = await call.readJson({ listKey: key });
  const list =
    typeof value === 'object' && value !== null && key in value ? (value as Record<string, unknown>)[key] : [];
  const isList = Array.isArray(list);
  // Its length is the schema's to judge, its elements are looked at below.
  const frame = check(isList ? { ...(value as object), [key]: list.map(() => null) } : value, schema, MISFIT);
  const items: z.output<Item>[] = [];
  const breathe = createBreather();
  for (const [index, element] of (isList ? list : []).entries()) {
    items.push(check(element, item, MISFIT, [key, index]));
    await breathe();
  }
  return { frame, items };
}

/** Reads and checks the query; numbers and booleans arrive as text. */
export function readQuery<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const query = request.query as Record<string, unknown>;
  refuseNul(Object.values(query), 'the query');
  return check(fromText(query), schema, 'the query does not fit this request');
}

/** One place of the path. */
export function readParameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name] ?? '';
  refuseNul([value], 'the address');
  return value;
}

/** PostgreSQL keeps no text with a zero byte, and none of our names has one. */
export function refuseNul(values: readonly unknown[], where: string): void {
  if (!values.some((value) => typeof value === 'string' && value.includes('\u0000'))) return;
  throw new LachesisError({
    code: 'invalid',
    message: `${where} holds a zero byte`,
    hint: 'Names and ids are ordinary text.',
  });
}

function check<S extends z.ZodType>(
  value: unknown,
  schema: S,
  message: string,
  place: readonly (number | string)[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LachesisError({
    code: 'invalid',
    message,
    hint: 'GET /openapi.json describes it.',
    issues: toIssues(
      parsed.error.issues.slice(0, MOST_ISSUES).map((issue) => ({ ...issue, path: [...place, ...issue.path] })),
    ),
  });
}

/** Fields that hold text whatever it looks like: a user may be called 42. */
const NUMBER = /^(min|max)_|^(since|until|limit|after)$/;
const BOOLEAN = /^has_/;

function fromText(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      if (NUMBER.test(name) && value.trim() !== '' && Number.isFinite(Number(value))) return [name, Number(value)];
      if (BOOLEAN.test(name) && (value === 'true' || value === 'false')) return [name, value === 'true'];
      return [name, value];
    }),
  );
}
