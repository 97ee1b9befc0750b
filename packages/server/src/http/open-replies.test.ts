import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Authenticator } from './access/authenticate.ts';
import type { Principal } from './access/principal.ts';
import { HttpMetrics } from './metrics/http-metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';

const tokens = new Map<string, Principal>();
let isAway = false;
let app: ReturnType<typeof createHttpServer>;
let url: string;

const route = (path: string, handle: Route['handle']): Route => ({
  ...defineRoute({ method: 'GET', path, scope: 'view', summary: path, reply: z.unknown(), handle }),
});

beforeEach(async () => {
  isAway = false;
  tokens.set('t', { tenantId: 'a', scopes: ['view'], run: null, tokenId: 'one' });
  app = createHttpServer({
    routes: [
      route('/stream', async ({ reply }) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.raw.write('data: first\n\n');
        return reply;
      }),
      route('/wait', ({ reply }) => new Promise((resolve) => reply.raw.once('close', () => resolve(undefined)))),
    ],
    authenticator: new Authenticator({
      directory: {
        find: async (token) => {
          if (isAway) throw new Error('the database is away');
          return tokens.get(token) ?? null;
        },
        count: async () => 1,
      },
    }),
    browserRules: { allowedHosts: new Set(['localhost', '127.0.0.1']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    maxBodyBytes: 100,
    bodyBudgetBytes: 100,
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

const open = (path: string): Promise<Response> => fetch(`${url}${path}`, { headers: { authorization: 'Bearer t' } });

/** Milliseconds until the reply ended, or undefined when it did not within the time. */
async function timeToEnd(ended: Promise<unknown>, withinMs: number): Promise<number | undefined> {
  const from = performance.now();
  const timer = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), withinMs));
  return Promise.race([
    ended.then(
      () => performance.now() - from,
      () => performance.now() - from,
    ),
    timer,
  ]);
}

describe('a reply that is open when its token ends', () => {
  it('is cut off when it has begun', async () => {
    const reply = await open('/stream');
    const text = reply.text();
    expect(await timeToEnd(text, 600)).toBeUndefined();
    tokens.delete('t');
    expect(await timeToEnd(text, 1_500)).toBeDefined();
    await expect(text).rejects.toThrow(/terminated|aborted|closed/);
  });

  it('is ended when it waits', async () => {
    const reply = open('/wait');
    expect(await timeToEnd(reply, 600)).toBeUndefined();
    tokens.delete('t');
    expect(await timeToEnd(reply, 1_500)).toBeDefined();
  });

  it('is ended when the token may do less than it needs', async () => {
    const text = (await open('/stream')).text();
    tokens.set('t', { tenantId: 'a', scopes: ['env:push'], run: null, tokenId: 'one' });
    expect(await timeToEnd(text, 1_500)).toBeDefined();
  });

  it('goes on while the database is away', async () => {
    const text = (await open('/stream')).text();
    isAway = true;
    expect(await timeToEnd(text, 1_200)).toBeUndefined();
    isAway = false;
    tokens.delete('t');
    expect(await timeToEnd(text, 1_500)).toBeDefined();
  });
});
