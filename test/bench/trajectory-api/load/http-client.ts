import { Agent, request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';

export interface HttpReply {
  readonly status: number;
  readonly body: Buffer;
  readonly encoding: string | undefined;
  /** From handing over the request to the last byte of the reply. */
  readonly milliseconds: number;
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** HTTP/1.1 over kept connections; `fetch` cannot send the body that a GET of an Atropos environment carries. */
export class HttpClient {
  readonly #base: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#base = new URL(url);
  }

  async call(call: HttpCall): Promise<HttpReply> {
    try {
      return await this.#send(call);
    } catch (error) {
      // A server may close an idle connection at the very moment it is used again; nothing was answered, so ask once more.
      if (error instanceof ReusedSocketError) return this.#send(call);
      throw error;
    }
  }

  async callJson(call: Omit<HttpCall, 'body'> & { json?: unknown }): Promise<HttpReply & { json: unknown }> {
    const { json, ...rest } = call;
    const body = json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
    const reply = await this.call({ ...rest, ...body });
    return { ...reply, json: parseJson(reply.body) };
  }

  /** Drops every connection; calls under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  #send(call: HttpCall): Promise<HttpReply> {
    const headers: Record<string, string | number> = { ...call.headers };
    if (call.body !== undefined) {
      headers['content-type'] ??= 'application/json';
      headers['content-length'] = call.body.length;
    }
    const options: RequestOptions = {
      host: this.#base.hostname,
      port: this.#base.port,
      agent: this.#agent,
      method: call.method,
      path: call.path,
      headers,
    };
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(options, (incoming) => {
        void collectReply(incoming, startedAt).then(resolve, reject);
      });
      outgoing.on('error', (cause) => {
        const wasClosed = 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE');
        reject(outgoing.reusedSocket && wasClosed ? new ReusedSocketError(cause.message, { cause }) : cause);
      });
      outgoing.end(call.body);
    });
  }
}

class ReusedSocketError extends Error {
  override readonly name = 'ReusedSocketError';
}

function collectReply(incoming: IncomingMessage, startedAt: number): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve({
        status: incoming.statusCode ?? 0,
        body: Buffer.concat(chunks),
        encoding: incoming.headers['content-encoding'],
        milliseconds: performance.now() - startedAt,
      }),
    );
  });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
