import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export interface HttpRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
  signal: AbortSignal;
}

/** What an answer's headers are asked for. */
export interface ReplyHeaders {
  get(name: string): string | null;
}

export interface HttpAnswer {
  status: number;
  headers: ReplyHeaders;
  bytes: Uint8Array;
}

/** Sends one request and reads its answer to the end. Redirects are answers like any other. */
export type SendHttp = (request: HttpRequest) => Promise<HttpAnswer>;

/** Python servers close a connection that is idle for 5 s; one that we close first is never written to in vain. */
const IDLE_MS = 4_000;
/** Samples under way, each with a poll of its own, and training beside them. */
const MAX_SOCKETS = 2_500;
/** A result of a batch is some ten megabytes; nothing that is asked for here comes near. */
const MAX_REPLY_BYTES = 2 ** 30;

/** A client speaks to one server: its address is parsed once and not for every call. */
interface Origin {
  isSecure: boolean;
  host: string;
  port: string;
  /** What goes into the header `host`: the port where it is none of the scheme's own, brackets around numbers of IPv6. */
  authority: string;
}

/** Node's own client: a third of the work of `fetch`, which counts when thousands of samples are polled for. */
export function createHttpClient(): SendHttp {
  const origins = new Map<string, Origin>();
  const splitUrl = (url: string): Origin & { path: string } => {
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const [start, path] = slash < 0 ? [url, '/'] : [url.slice(0, slash), url.slice(slash)];
    let origin = origins.get(start);
    if (origin === undefined) {
      const { protocol, hostname, port, host } = new URL(start);
      origin = {
        isSecure: protocol === 'https:',
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port,
        authority: host,
      };
      origins.set(start, origin);
    }
    return { ...origin, path };
  };
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: MAX_SOCKETS,
    maxFreeSockets: MAX_SOCKETS,
    scheduling: 'lifo' as const,
  };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  return ({ url, method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { isSecure, host, port, path, authority } = splitUrl(url);
      const call = (isSecure ? requestHttps : requestHttp)({
        host,
        port,
        path,
        method,
        headers: toLines(authority, headers, { method, body }),
        agent: agents[isSecure ? 'https:' : 'http:'],
      });
      const stop = (): void => void call.destroy(new Error('aborted'));
      const settle = (): void => signal.removeEventListener('abort', stop);
      signal.addEventListener('abort', stop, { once: true });
      call.on('error', (error) => {
        settle();
        reject(error);
      });
      call.on('response', (response) => {
        readAll(response).then(
          (bytes) => {
            settle();
            resolve({ status: response.statusCode ?? 0, headers: toHeaders(response), bytes });
          },
          (error: Error) => {
            settle();
            reject(error);
          },
        );
      });
      call.end(body);
    });
}

/**
 * Names and values one after the other: Node writes them as they are, instead of keeping each in a table first that nobody
 * asks. It adds neither `host` nor a length then, and without a length would send a body in chunks.
 */
function toLines(
  authority: string,
  headers: Readonly<Record<string, string>>,
  { method, body }: Pick<HttpRequest, 'method' | 'body'>,
): string[] {
  const lines = ['host', authority];
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  if (body !== undefined) lines.push('content-length', String(Buffer.byteLength(body)));
  else if (method === 'POST' || method === 'PUT') lines.push('content-length', '0');
  return lines;
}

function readAll(response: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_REPLY_BYTES) response.destroy(new Error('the answer is too large'));
      else chunks.push(chunk);
    });
    response.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    // A connection that ends inside the body closes without `end`.
    response.on('close', () => {
      if (!response.complete) reject(Object.assign(new Error('the answer broke off'), { code: 'ECONNRESET' }));
    });
    response.on('error', reject);
  });
}

const toHeaders = ({ headers }: IncomingMessage): ReplyHeaders => ({
  get: (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  },
});

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
