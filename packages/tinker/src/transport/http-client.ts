import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Origin, WireRequest } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { HttpAnswer } from './reply.ts';

export interface HttpRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
  signal: AbortSignal;
}

/** Sends one request and reads its answer to the end. Redirects are answers like any other. */
export type SendHttp = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * A client of HTTP/1.1 on bare connections: two fifths of the work of Node's own, which counts when thousands of samples
 * are polled for (docs/decisions/2026-11-16-written-here.md).
 */
export function createHttpClient(): SendHttp {
  const servers = new Map<string, { origin: Origin; pool: ConnectionPool }>();
  /** A client speaks to one server: its address is parsed once and not for every call. */
  const findServer = (start: string) => {
    let server = servers.get(start);
    if (server === undefined) {
      const origin = readOrigin(start);
      server = { origin, pool: new ConnectionPool(origin) };
      servers.set(start, server);
    }
    return server;
  };
  return async ({ url, method, headers, body, signal }) => {
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const [start, path] = slash < 0 ? [url, '/'] : [url.slice(0, slash), url.slice(slash)];
    const { origin, pool } = findServer(start);
    const request = toWire(`${method} ${checkPath(path)} HTTP/1.1\r\nhost: ${origin.authority}`, {
      method,
      headers,
      body,
    });
    if (signal.aborted) throw new Error('aborted');
    const connection = await pool.take(signal);
    const stop = (): void => connection.close(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      // Given up while it was waited for: a connection that is closed sends nothing.
      if (signal.aborted) stop();
      return await connection.send(request);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

function readOrigin(text: string): Origin {
  const { protocol, hostname, port, host } = new URL(text);
  const isSecure = protocol === 'https:';
  return {
    isSecure,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    authority: host,
  };
}

function toWire(
  start: string,
  { method, headers, body }: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
): WireRequest {
  let head = start;
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    head += `\r\n${name}: ${value}`;
  }
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined || method === 'POST' || method === 'PUT') head += `\r\ncontent-length: ${bytes}`;
  head += '\r\nconnection: keep-alive\r\n\r\n';
  return { head, body, isAscii: body === undefined || (typeof body === 'string' && bytes === body.length) };
}

/** A space or a line break in a path would be read as the end of it. */
function checkPath(path: string): string {
  if (!/[^\u0021-\u00FF]/.test(path)) return path;
  throw Object.assign(new TypeError('Invalid character in the path of a request'), {
    code: 'ERR_UNESCAPED_CHARACTERS',
  });
}

/** A `fetch` that was handed in, such as one of a test or of a platform without sockets. */
export const fromFetch =
  (send: typeof fetch): SendHttp =>
  async ({ url, method, headers, body, signal }) => {
    const response = await send(url, {
      method,
      headers: { ...headers },
      signal,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
