import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { EgressRule, EgressTarget } from './create-egress-rule.ts';
import { EgressError } from './egress-error.ts';

export interface EgressFetchOptions {
  readonly rule: EgressRule;
  /** How many redirects are followed. Default 5. */
  readonly redirects?: number | undefined;
}

const REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** What may be told to another origin; everything else may be a credential. */
const PLAIN_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);
/** Statuses that have no body, which a `Response` refuses. */
const EMPTY_STATUSES = new Set([204, 205, 304]);

/**
 * A `fetch` that asks only what the rule allows: the address is resolved once and connected to, each redirect is looked at
 * like a first address, and headers that may be credentials stay with the origin they were meant for.
 */
export function createEgressFetch({ rule, redirects = REDIRECTS }: EgressFetchOptions): typeof fetch {
  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError('An egress fetch takes an address and not a Request.');
    const signal = init.signal ?? undefined;
    const headers = new Headers(init.headers);
    let method = (init.method ?? 'GET').toUpperCase();
    let body = toBytes(init.body);
    let target = await rule.resolve(input, signal);
    for (let hop = 0; ; hop += 1) {
      signal?.throwIfAborted();
      const reply = await send(target, { method, headers, body, signal });
      const status = reply.statusCode ?? 0;
      const { location } = reply.headers;
      if (!REDIRECT_STATUSES.has(status) || location === undefined || init.redirect === 'manual') {
        return toResponse(reply, status);
      }
      reply.resume();
      reply.destroy();
      const refuse = (reason: string): EgressError =>
        new EgressError({ address: JSON.stringify(target.url.origin), reason });
      if (init.redirect === 'error') throw refuse('it answered with a redirect');
      if (hop >= redirects) throw refuse(`it redirected more than ${redirects} times`);
      if (!URL.canParse(location, target.url.href)) throw refuse('it redirected to what is no address');
      const next = new URL(location, target.url);
      if (target.url.protocol === 'https:' && next.protocol !== 'https:')
        throw refuse('it redirected from https to http');
      if (next.origin !== target.url.origin) {
        for (const name of [...headers.keys()]) if (!PLAIN_HEADERS.has(name)) headers.delete(name);
        // What was sent was meant for the first origin.
        if (body !== undefined && status >= 307) throw refuse('it redirected what was sent to another origin');
      }
      if (status <= 303 && method !== 'HEAD' && (status === 303 || method === 'POST')) {
        [method, body] = ['GET', undefined];
        headers.delete('content-type');
      }
      target = await rule.resolve(next, signal);
    }
  };
}

interface Sent {
  method: string;
  headers: Headers;
  body: Buffer | undefined;
  signal: AbortSignal | undefined;
}

function send(
  { url, address, family }: EgressTarget,
  { method, headers, body, signal }: Sent,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...Object.fromEntries(headers),
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-length': body.length }),
        },
        // The name was resolved and looked at; nobody resolves it a second time.
        lookup: (_host, options, done) =>
          options.all === true ? done(null, [{ address, family }]) : done(null, address, family),
        ...(signal === undefined ? {} : { signal }),
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

function toResponse(reply: IncomingMessage, status: number): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const isEmpty = EMPTY_STATUSES.has(status);
  if (isEmpty) reply.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(reply) as ReadableStream), { status, headers });
}

function toBytes(body: RequestInit['body']): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new TypeError('An egress fetch sends text or bytes.');
}
