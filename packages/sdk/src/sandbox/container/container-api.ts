import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { SandboxError } from '../sandbox-error.ts';

const REQUEST_TIMEOUT_MS = 60_000;

export interface ContainerApiOptions {
  readonly socketPath: string;
  /** Of the API, as both Docker and Podman serve it. */
  readonly version?: string;
}

export interface ContainerApi {
  /** Rejects on a status of 400 and above. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** Starts an exec and takes over its connection, which then carries input and framed output. */
  attach(path: string, body: unknown): Promise<Duplex>;
}

/** The few calls of a container engine's HTTP interface that a sandbox needs, over its local socket. */
export function createContainerApi({ socketPath, version = 'v1.41' }: ContainerApiOptions): ContainerApi {
  const send = (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent = request({
      ...{ socketPath, method, path: `/${version}${path}`, timeout: REQUEST_TIMEOUT_MS },
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer within 60 s')));
    sent.end(text);
    return sent;
  };
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const sent = send(method, path, body, {});
        sent.once('error', (cause) => reject(describeFailure(socketPath, method, path, cause.message)));
        sent.once('response', (response) => {
          readBody(response).then((text) => {
            const status = response.statusCode ?? 0;
            if (status >= 400) reject(describeFailure(socketPath, method, path, `${status} ${text.slice(0, 300)}`));
            else resolve(text.trim() === '' ? undefined : JSON.parse(text));
          }, reject);
        });
      }),
    attach: (path, body) =>
      new Promise((resolve, reject) => {
        const sent = send('POST', path, body, { connection: 'Upgrade', upgrade: 'tcp' });
        sent.once('error', (cause) => reject(describeFailure(socketPath, 'POST', path, cause.message)));
        sent.once('upgrade', (_response, socket: Duplex, head: Buffer) => {
          // The connection now belongs to the exec, whose silence is no fault.
          if ('setTimeout' in socket && typeof socket.setTimeout === 'function') socket.setTimeout(0);
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        });
        sent.once('response', (response) => {
          readBody(response).then((text) => {
            reject(describeFailure(socketPath, 'POST', path, `${response.statusCode ?? 0} ${text.slice(0, 300)}`));
          }, reject);
        });
      }),
  };
}

async function readBody(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += String(part);
  return text;
}

function describeFailure(socketPath: string, method: string, path: string, what: string): SandboxError {
  return new SandboxError({
    kind: /ENOENT|ECONNREFUSED|EACCES/.test(what) ? 'unavailable' : 'failed',
    reason: `The container engine at ${socketPath} did not do ${method} ${path.split('?')[0]}: ${what}.`,
    hint: 'Check that Docker or Podman runs, that you may use its socket, and that the image is there.',
  });
}
