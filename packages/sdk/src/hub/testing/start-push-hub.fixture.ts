import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A hub as its clients know it, for data sets that are pushed: create, preupload, LFS batch, storage, commit. Written for tests; the real one was not asked. */
export interface PushHub extends AsyncDisposable {
  readonly url: string;
  readonly storageUrl: string;
  readonly calls: { path: string; token: string | undefined; body: string }[];
  /** What storage holds, by digest. */
  readonly stored: Map<string, Buffer>;
  /** How many bytes storage was sent. */
  readonly received: () => number;
}

export interface PushHubOptions {
  /** The repository is there before. */
  existing?: { private: boolean };
  /** Answers this many calls with 503 first. */
  failures?: number;
  /** Bytes of a part; uploads are in parts when it is given. */
  chunkBytes?: number;
  /** Storage counts what it gets and keeps nothing. */
  isForgetful?: boolean;
}

export async function startPushHub(options: PushHubOptions = {}): Promise<PushHub> {
  const calls: PushHub['calls'] = [];
  const stored = new Map<string, Buffer>();
  const parts = new Map<string, Map<number, Buffer>>();
  let received = 0;
  let failures = options.failures ?? 0;

  const storage = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request as AsyncIterable<Buffer>) {
        received += piece.length;
        if (options.isForgetful !== true) pieces.push(piece);
      }
      calls.push({ path: `storage ${request.url ?? ''}`, token: request.headers.authorization, body: '' });
      const [digest = '', part = '0'] = (request.url ?? '').slice(1).split('/');
      // Parts come in any order.
      const known = parts.get(digest) ?? parts.set(digest, new Map()).get(digest)!;
      known.set(Number(part), Buffer.concat(pieces));
      stored.set(digest, Buffer.concat([...known].sort(([left], [right]) => left - right).map(([, bytes]) => bytes)));
      response.setHeader('etag', `"${part}"`).end();
    })();
  });
  const storageUrl = await listen(storage);

  const hub = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
      const path = request.url ?? '';
      calls.push({ path, token: request.headers.authorization, body });
      const answer = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      };
      if (failures > 0) {
        failures -= 1;
        return answer(503, { error: 'later' });
      }
      if (path === '/api/repos/create') {
        const { organization, name } = JSON.parse(body) as { organization?: string; name: string };
        const there = `${url}/datasets/${organization === undefined ? name : `${organization}/${name}`}`;
        return options.existing === undefined ? answer(200, { url: there }) : answer(409, { error: 'it exists' });
      }
      if (path.includes('/preupload/')) {
        const { files } = JSON.parse(body) as { files: { path: string }[] };
        return answer(200, {
          files: files.map((file) => ({
            path: file.path,
            uploadMode: file.path.endsWith('.parquet') ? 'lfs' : 'regular',
            shouldIgnore: false,
          })),
        });
      }
      if (path.endsWith('/objects/batch')) {
        const { objects } = JSON.parse(body) as { objects: { oid: string; size: number }[] };
        return answer(200, {
          objects: objects.map((object) => ({ ...object, actions: { upload: planUpload(object) } })),
        });
      }
      if (path.includes('/commit/')) {
        const commitUrl = `${url}${path.replace(/^\/api(.*)\/commit\/.*$/, '$1')}/commit/abc`;
        return answer(200, { commitUrl, commitOid: 'abc' });
      }
      if (path.startsWith('/complete/')) return answer(200, {});
      return answer(200, options.existing ?? {});
    })();
  });
  const url = await listen(hub);

  function planUpload({ oid, size }: { oid: string; size: number }): object {
    const { chunkBytes } = options;
    if (chunkBytes === undefined) return { href: `${storageUrl}/${oid}` };
    const parts = Array.from({ length: Math.ceil(size / chunkBytes) }, (_unused, index) => [
      String(index + 1).padStart(5, '0'),
      `${storageUrl}/${oid}/${index + 1}`,
    ]);
    return { href: `${url}/complete/${oid}`, header: { chunk_size: String(chunkBytes), ...Object.fromEntries(parts) } };
  }

  return {
    url,
    storageUrl,
    calls,
    stored,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const server of [hub, storage]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
