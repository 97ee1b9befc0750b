import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Also on a GET: /status-env has one. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** 15,000 by default. */
  readonly timeoutMs?: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, inflated when it came as gzip. */
  readonly text: string;
}

/** One HTTP request through node:http: `fetch` refuses a GET with a body. */
export async function call(baseUrl: string, { method, path, body, headers, timeoutMs = 15_000 }: Call): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    const outgoing = request(
      new URL(path, baseUrl),
      {
        method,
        // A connection per request, as `requests` and `aiohttp` sessions of the Python clients make them.
        agent: false,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (incoming) => {
        buffer(incoming).then(
          (bytes) =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8'),
            }),
          reject,
        );
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** A JSON request and its JSON reply, as the Python clients make them. */
export async function callJson<T>(baseUrl: string, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await call(baseUrl, {
    method,
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (reply.status !== 200) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return JSON.parse(reply.text) as T;
}
