import { isRecord, LachesisError, toIssues, type ErrorCode } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createBreather } from './json/breathe.ts';
import { JSON_TYPE, type RouteBody, type RouteCall } from './route.ts';

/** Issues that are named; a thousand records with the same fault need not be told a thousand times. */
const MOST_ISSUES = 20;

type ZodIssues = z.core.$ZodIssue[];

/** How what does not fit is told. */
export interface MisfitRules {
  /** `invalid` when left out. */
  code?: ErrorCode | undefined;
  /** Names the thing that does not fit; or is made from the first issue. */
  message?: string | ((first: { field: string; message: string } | undefined) => string) | undefined;
  hint?: string | undefined;
}

/** How a body is read where it is not as our own routes have it. */
export interface BodyRules extends MisfitRules {
  /** Makes the bytes ready to be read as JSON, such as compressed ones; throws its refusal. */
  prepare?: ((request: FastifyRequest) => Promise<Uint8Array>) | undefined;
  /** What no body at all counts as: `{}` for our own routes; `not-json` where it is refused as any other text. */
  empty?: (() => unknown) | 'not-json' | undefined;
  /** Another refusal for what is no JSON, or JSON beyond the limits. */
  refuseUnreadable?: ((error: unknown, bytes: Uint8Array) => unknown) | undefined;
  /** Another refusal for what does not fit, in place of a `LachesisError`. */
  refuseMisfit?: ((issues: ZodIssues) => unknown) | undefined;
}

/** A JSON body, checked before the handler runs. */
export const jsonBody = <S extends z.ZodType>(schema: S, rules: BodyRules = {}): RouteBody<z.output<S>> => ({
  ...{ contentType: JSON_TYPE, schema },
  read: async (call) => checkValue(await readJsonBody(call, rules), schema, rules),
});

/** A body that the handler wants to see before it is checked, to note what was asked even when it is refused. */
export interface UncheckedBody<T> {
  /** What was sent. */
  read(): Promise<unknown>;
  check(given: unknown): T;
}

/** A JSON body that is read when the handler asks for it. */
export const lateJsonBody = <S extends z.ZodType>(
  schema: S,
  rules: BodyRules = {},
): RouteBody<UncheckedBody<z.output<S>>> => ({
  ...{ contentType: JSON_TYPE, schema },
  read: async (call) => ({
    read: () => readJsonBody(call, rules),
    check: (given) => checkValue(given, schema, rules),
  }),
});

/**
 * A JSON body that is a long list and little else: `key` names the list in `schema`. Its elements are read and checked
 * one by one, with other requests let in between.
 */
export function jsonListBody<S extends z.ZodObject>(
  schema: S,
  key: keyof z.output<S> & string,
): RouteBody<z.output<S>> {
  const list: unknown = schema.shape[key];
  if (!(list instanceof z.ZodArray)) throw new TypeError(`${key} is no list`);
  const { element } = list;
  // The length is judged with the frame, the elements one by one.
  const frame = schema.extend({ [key]: list.clone({ ...list.def, element: z.unknown() }) });
  return {
    ...{ contentType: JSON_TYPE, schema },
    async read(call) {
      const value = await call.readJson({ listKey: key });
      if (!isRecord(value)) return checkValue(value, schema);
      const given = value[key];
      if (!Array.isArray(given)) return checkValue(value, schema);
      const around = checkValue({ ...value, [key]: given.map(() => null) }, frame);
      const items: unknown[] = [];
      const breathe = createBreather();
      for (const [index, item] of given.entries()) {
        items.push(checkValue(item, element as z.ZodType, {}, [key, index]));
        await breathe();
      }
      // Frame and elements were each checked by their part of the schema.
      return { ...around, [key]: items } as z.output<S>;
    },
  };
}

/** Bytes as they came: the handler, or a thread of its, reads them. The schema is for the document. */
export const bytesBody = (contentType: string, schema?: z.ZodType): RouteBody<Uint8Array> => ({
  contentType,
  ...(schema === undefined ? {} : { schema }),
  read: async ({ request }) => bytesOf(request),
});

async function readJsonBody(call: RouteCall, rules: BodyRules): Promise<unknown> {
  const { request } = call;
  if (rules.prepare !== undefined) request.body = await rules.prepare(request);
  const { empty = () => ({}) } = rules;
  if (empty !== 'not-json' && bytesOf(request).length === 0) return empty();
  try {
    return await call.readJson();
  } catch (error) {
    throw rules.refuseUnreadable?.(error, bytesOf(request)) ?? error;
  }
}

/** The bytes of a body; none when there was none. */
export const bytesOf = ({ body }: Pick<FastifyRequest, 'body'>): Uint8Array =>
  body instanceof Uint8Array ? body : new Uint8Array();

/** What was sent as its schema reads it. What does not fit is refused with each field, what is wrong and what is wanted. */
export function checkValue<S extends z.ZodType>(
  value: unknown,
  schema: S,
  rules: MisfitRules & Pick<BodyRules, 'refuseMisfit'> = {},
  place: readonly (number | string)[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (rules.refuseMisfit !== undefined) throw rules.refuseMisfit(parsed.error.issues);
  const issues = toIssues(
    parsed.error.issues.slice(0, MOST_ISSUES).map((issue) => ({ ...issue, path: [...place, ...issue.path] })),
  );
  const { code = 'invalid', message = 'the body does not fit this request', hint } = rules;
  throw new LachesisError({
    ...{ code, issues, hint: hint ?? 'GET /openapi.json describes it.' },
    message: typeof message === 'string' ? message : message(issues[0]),
  });
}
