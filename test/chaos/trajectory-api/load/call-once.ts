import { request } from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallTarget {
  readonly host: string;
  readonly port: number;
  readonly agent: Agent;
  /** After this long without a whole reply the call has failed. */
  readonly timeoutMs: number;
  /** Sent with every call, e.g. a credential. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One attempt, never repeated in secret: an answer, or an error that leaves open whether anything happened. */
export function callOnce(target: CallTarget, call: Call): Promise<Reply> {
  const { host, port, agent, timeoutMs } = target;
  const headers: Record<string, string | number> = { ...target.headers, ...call.headers };
  if (call.body !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] = call.body.length;
  }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, agent, method: call.method, path: call.path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', fail);
      incoming.once('end', () => {
        clearTimeout(timer);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
      });
    });
    const timer = setTimeout(() => outgoing.destroy(new CallTimeoutError(call, timeoutMs)), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    outgoing.once('error', fail);
    outgoing.end(call.body);
  });
}

/** Nothing, or only a part, came back in time. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';

  constructor(call: Call, timeoutMs: number) {
    super(`${call.method} ${call.path} had no whole answer after ${timeoutMs} ms`);
  }
}
