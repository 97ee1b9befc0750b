import { LachesisError, toIssues } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** Issues that are named; a thousand records with the same fault need not be told a thousand times. */
const MOST_ISSUES = 20;

/** Reads and checks a JSON body; an empty one counts as `{}`. */
export function readBody<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  return check(parseJson(body), schema, 'the body does not fit this request');
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

function check<S extends z.ZodType>(value: unknown, schema: S, message: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LachesisError({
    code: 'invalid',
    message,
    hint: 'GET /openapi.json describes it.',
    issues: toIssues(parsed.error.issues).slice(0, MOST_ISSUES),
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
