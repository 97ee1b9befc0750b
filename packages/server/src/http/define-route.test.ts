import { channel } from 'node:diagnostics_channel';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Authenticator } from './access/authenticate.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { defineRoute, jsonOrByHand, ROUTE_ANSWERS, sentByHand, type RouteAnswer } from './define-route.ts';
import { describeRoutes } from './describe-routes.ts';
import { bytesBody, jsonBody, jsonListBody, lateJsonBody } from './read-body.ts';
import type { Route } from './route.ts';

let app: ReturnType<typeof createHttpServer> | undefined;
const handled: unknown[] = [];
beforeEach(() => void handled.splice(0));
afterEach(() => app?.close());

const facts = { method: 'POST', scope: 'view', summary: 'Tells what it was given.' } as const;

/** Status and JSON of a call to the only route of a server. */
async function ask(route: Route, url: string, body?: string | Buffer): Promise<{ status: number; json: unknown }> {
  app = createHttpServer({
    routes: [route],
    authenticator: new Authenticator({
      directory: {
        find: async () => ({ tenantId: 'a', scopes: ['view'], run: null, tokenId: 'one' }),
        count: async () => 1,
      },
    }),
    browserRules: { allowedHosts: new Set(['localhost']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    maxBodyBytes: 10_000,
    bodyBudgetBytes: 10_000,
  });
  const headers = { host: 'localhost', authorization: 'Bearer x', 'content-type': 'application/json' };
  const reply = await app.inject({
    ...{ method: route.method, url, headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: reply.statusCode, json: reply.json() };
}

const echo = defineRoute({
  ...facts,
  path: '/things/:id/parts/:part_name',
  query: z.strictObject({
    limit: z.int().max(10).default(3),
    has_text: z.boolean().optional(),
    user: z.string().optional(),
  }),
  body: jsonBody(z.object({ size: z.int().min(1), name: z.string().default('nobody') })),
  reply: z.object({
    id: z.string(),
    part: z.string(),
    limit: z.number(),
    user: z.string().nullable(),
    size: z.number(),
  }),
  handle: async ({ params, query, body }) => {
    handled.push({ params, query, body });
    return {
      ...{ id: params.id, part: params.part_name, limit: query.limit, user: query.user ?? null },
      size: body.size,
    };
  },
});

test('a handler is given what the schemas made of path, query and body', async () => {
  const { status } = await ask(echo, '/things/a%20b/parts/c?limit=7&has_text=false&user=42', '{"size": 2}');
  expect(status).toBe(200);
  expect(handled).toEqual([
    {
      params: { id: 'a b', part_name: 'c' },
      // A user may be called 42; a number is read where one is wanted.
      query: { limit: 7, has_text: false, user: '42' },
      body: { size: 2, name: 'nobody' },
    },
  ]);
});

test('what does not fit is refused before the handler, with the field, the fault and what is wanted', async () => {
  const refusal = async (url: string, body: string) => {
    const { status, json } = await ask(echo, url, body);
    return { status, ...z.object({ error: z.looseObject({}) }).parse(json).error };
  };
  expect(await refusal('/things/a/parts/b', '{"size": 0}')).toMatchObject({
    ...{ status: 422, code: 'invalid', message: 'the body does not fit this request' },
    issues: [{ field: 'size', message: expect.stringContaining('>=1') }],
  });
  expect(await refusal('/things/a/parts/b', '')).toMatchObject({ status: 422, issues: [{ field: 'size' }] });
  expect(await refusal('/things/a/parts/b', '{"size"')).toMatchObject({ status: 400, message: 'the body is not JSON' });
  expect(await refusal('/things/a/parts/b?limit=11&has_text=maybe', '{"size":1}')).toMatchObject({
    ...{ status: 422, message: 'the query does not fit this request' },
    issues: [
      { field: 'limit', message: expect.stringContaining('<=10') },
      { field: 'has_text', message: expect.stringContaining('expected boolean') },
    ],
  });
  expect(await refusal('/things/a/parts/b?limits=1', '{"size":1}')).toMatchObject({ issues: [{ field: 'limits' }] });
  expect(await refusal('/things/a%00/parts/b', '{"size":1}')).toMatchObject({
    message: 'the address holds a zero byte',
  });
  expect(handled).toEqual([]);
});

test('the document is made of what the handler is held to', () => {
  const post = {
    parameters: [
      { name: 'id', in: 'path' },
      { name: 'part_name', in: 'path' },
      { name: 'limit', in: 'query', schema: { maximum: 10 } },
      { name: 'has_text', in: 'query' },
      { name: 'user', in: 'query' },
    ],
    requestBody: { content: { 'application/json': { schema: { required: ['size'] } } } },
    responses: { 200: { content: { 'application/json': { schema: { properties: { part: { type: 'string' } } } } } } },
  };
  const document = describeRoutes([echo], { title: 'one', version: '1' });
  expect(document).toMatchObject({ paths: { '/things/{id}/parts/{part_name}': { post } } });
});

test('a long list is checked element by element, and by the length that its schema allows', async () => {
  const route = defineRoute({
    ...facts,
    path: '/list',
    body: jsonListBody(
      z.object({
        name: z.string(),
        rows: z
          .array(z.object({ at: z.int() }))
          .min(1)
          .max(3),
      }),
      'rows',
    ),
    reply: z.object({ name: z.string(), count: z.int() }),
    handle: async ({ body }) => ({ name: body.name, count: body.rows.map(({ at }) => at).length }),
  });
  const post = (body: object) => ask(route, '/list', JSON.stringify(body));
  expect(await post({ name: 'a', rows: [{ at: 1 }, { at: 2 }] })).toEqual({
    status: 200,
    json: { name: 'a', count: 2 },
  });
  const issues = async (body: object) => {
    const { error } = z
      .object({ error: z.looseObject({ issues: z.array(z.looseObject({})) }) })
      .parse((await post(body)).json);
    return error.issues.map(({ field }) => field);
  };
  expect(await issues({ name: 'a', rows: [{ at: 1 }, { at: 'x' }] })).toEqual(['rows.1.at']);
  expect(await issues({ name: 'a', rows: [1, 2, 3, 4].map((at) => ({ at })) })).toEqual(['rows']);
  expect(await issues({ name: 'a', rows: [] })).toEqual(['rows']);
  expect(await issues({ rows: [{ at: 1 }] })).toEqual(['name']);
  expect(await issues({ name: 'a' })).toEqual(['rows']);
});

test('a late body is seen before it is judged, and bytes are left as they came', async () => {
  const late = defineRoute({
    ...facts,
    path: '/late',
    body: lateJsonBody(z.object({ size: z.int() }), { code: 'bad-request', empty: 'not-json' }),
    reply: jsonOrByHand(z.object({ size: z.int() })),
    handle: async ({ body }) => {
      const given = await body.read();
      handled.push(given);
      return body.check(given);
    },
  });
  expect(await ask(late, '/late', '{"size":"x"}')).toMatchObject({ status: 400 });
  expect(handled).toEqual([{ size: 'x' }]);
  expect(await ask(late, '/late', '')).toMatchObject({ json: { error: { message: 'the body is not JSON' } } });
  const bytes = defineRoute({
    ...facts,
    path: '/bytes',
    body: bytesBody('application/octet-stream'),
    reply: sentByHand('application/json'),
    handle: async ({ body, reply }) => reply.send({ first: body[0] }),
  });
  expect(await ask(bytes, '/bytes', Buffer.of(7, 0))).toEqual({ status: 200, json: { first: 7 } });
});

test('every answer is told to whoever holds routes to their documents', async () => {
  // Tests do, in every file: see the setup of vitest.
  expect(channel(ROUTE_ANSWERS).hasSubscribers).toBe(true);
  const told: unknown[] = [];
  const listen = (message: unknown): void => void told.push((message as RouteAnswer).answer);
  channel(ROUTE_ANSWERS).subscribe(listen);
  await ask(echo, '/things/a/parts/b', '{"size": 2}');
  channel(ROUTE_ANSWERS).unsubscribe(listen);
  expect(told).toEqual([{ id: 'a', part: 'b', limit: 3, user: null, size: 2 }]);
});

test('the compiler refuses a handler that answers something else, or asks for what is not in the path', () => {
  const reply = z.object({ size: z.int() });
  // @ts-expect-error: a text is no size
  defineRoute({ ...facts, path: '/a', reply, handle: async () => ({ size: 'large' }) });
  // @ts-expect-error: there is no such parameter
  defineRoute({ ...facts, path: '/a/:id', reply, handle: async ({ params }) => ({ size: params.name.length }) });
  // @ts-expect-error: only defineRoute makes a route
  const bare: Route = { ...facts, path: '/a', perRun: false, reply: { contentType: 'a' }, handle: async () => ({}) };
  expect(bare.path).toBe('/a');
});
