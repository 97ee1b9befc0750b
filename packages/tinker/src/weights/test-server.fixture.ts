import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TestServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** `METHOD path` of each request, with its range when it has one. */
  readonly requests: string[];
  /** Headers of each request, in the same order. */
  readonly headers: IncomingMessage['headers'][];
}

/** A server on loopback with one handler. */
export async function startTestServer(
  handle: (request: IncomingMessage, response: ServerResponse, self: TestServer) => void,
): Promise<TestServer> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const { range } = request.headers;
    requests.push(`${request.method} ${request.url}${range === undefined ? '' : ` ${range}`}`);
    headers.push(request.headers);
    handle(request, response, self);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: TestServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

export interface RangedBody {
  readonly body: Uint8Array;
  readonly etag: string;
  /** Breaks off behind so many bytes, once the reader has them: what it has not read yet would go with the connection. */
  readonly breakAfter?: { readonly bytes: number; whenRead(bytes: number): Promise<unknown> } | undefined;
}

/** Answers with bytes and honours ranges under an ETag, as object stores do. */
export function sendRanged(
  request: IncomingMessage,
  response: ServerResponse,
  { body, etag, breakAfter }: RangedBody,
): void {
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const from = range !== null && request.headers['if-range'] === etag ? Number(range[1]) : 0;
  const rest = body.subarray(from);
  response.writeHead(from === 0 ? 200 : 206, {
    etag,
    'content-length': rest.byteLength,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${body.byteLength - 1}/${body.byteLength}` }),
  });
  if (breakAfter === undefined) response.end(rest);
  else {
    response.write(rest.subarray(0, breakAfter.bytes));
    void breakAfter.whenRead(from + breakAfter.bytes).then(() => response.destroy());
  }
}

/** A folder that is removed at the end. */
export async function makeTemporaryFolder(): Promise<AsyncDisposable & { path: string; at(name: string): string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lachesis-weights-'));
  return {
    path: folder,
    at: (name) => path.join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
