import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A hub on loopback that speaks as huggingface.co does, as far as reading goes. */
export interface TestHub extends AsyncDisposable {
  readonly url: string;
  /** Method, path and credential of every request, in order. */
  readonly calls: { method: string; path: string; authorization: string | undefined; range: string | undefined }[];
  /** How often each file's content was sent, in bytes. */
  readonly sentBytes: Map<string, number>;
}

export interface TestRepository {
  readonly type?: 'dataset' | 'model';
  readonly files: Readonly<Record<string, Buffer | string>>;
  /** Kept in large file storage: announced by SHA-256 and served from another address after a redirect. */
  readonly large?: readonly string[];
  /** Only with this token. */
  readonly token?: string;
}

export interface TestHubOptions {
  readonly repositories: Readonly<Record<string, TestRepository>>;
  /** Answers so many requests with 429 first. */
  readonly busy?: number;
  /** Cuts so many downloads in the middle. */
  readonly cuts?: number;
  /** Waited for before a cut, with how much of the file has been sent: what is on its way at a cut may be lost. */
  readonly beforeCut?: (sentBytes: number) => Promise<unknown>;
  /** Changes a byte of every content that is sent. */
  readonly isCorrupting?: boolean;
}

const COMMIT = createHash('sha1').update('the only commit').digest('hex');

interface StoredFile {
  readonly path: string;
  readonly content: Buffer;
  readonly oid: string;
  readonly sha256: string | undefined;
}

export async function startHub(options: TestHubOptions): Promise<TestHub> {
  const calls: TestHub['calls'] = [];
  const sentBytes = new Map<string, number>();
  const left = { busy: options.busy ?? 0, cuts: options.cuts ?? 0 };
  const repositories = new Map(
    Object.entries(options.repositories).map(([name, repository]) => [name, { repository, files: store(repository) }]),
  );

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://hub');
    const path = decodeURIComponent(pathname);
    const { authorization, range } = request.headers;
    calls.push({ method: request.method ?? '', path, authorization, range });
    if (left.busy > 0) {
      left.busy -= 1;
      response.writeHead(429, { 'retry-after': '0' }).end();
      return;
    }
    if (path.startsWith('/storage/')) {
      const [, , owner, name, ...rest] = path.split('/');
      const file = findFile(`${owner}/${name}`, rest.join('/'));
      return file === undefined ? void response.writeHead(404).end() : send(request, response, file);
    }
    const api = /^\/api\/(model|dataset)s\/([^/]+\/[^/]+)(?:\/(revision|tree|paths-info)\/([^/]+)(?:\/(.*))?)?$/.exec(
      path,
    );
    const resolve = /^\/(?:(dataset)s\/)?([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
    const name = api?.[2] ?? resolve?.[2] ?? '';
    const type = api?.[1] ?? resolve?.[1] ?? 'model';
    const found = repositories.get(name);
    const wanted = found?.repository.token;
    if (found !== undefined && wanted !== undefined && authorization !== `Bearer ${wanted}`) {
      return refuse(response, 401, 'GatedRepo', `Access to ${name} is restricted.`);
    }
    if (found === undefined || (found.repository.type ?? 'model') !== type) {
      // As the hub does: a stranger is not told what does not exist.
      return refuse(response, authorization === undefined ? 401 : 404, 'RepoNotFound', 'Repository not found');
    }
    const revision = api?.[4] ?? resolve?.[3] ?? 'main';
    if (!['main', 'HEAD', COMMIT].includes(revision)) {
      return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
    }
    if (resolve !== null) return sendResolved(request, response, name, resolve[4] ?? '');
    if (api?.[3] === 'paths-info') {
      const paths = readPaths(await readBody(request), request.headers['content-type']);
      return json(
        response,
        found.files.filter((file) => paths.includes(file.path)).map((file) => describe(file)),
      );
    }
    if (api?.[3] === 'tree') {
      const folder = api[5] === undefined || api[5] === '' ? '' : `${api[5]}/`;
      const inside = found.files.filter((file) => file.path.startsWith(folder));
      return inside.length === 0 && folder !== ''
        ? refuse(response, 404, 'EntryNotFound', `${folder} does not exist`)
        : json(
            response,
            inside.map((file) => describe(file)),
          );
    }
    return json(response, {
      ...{ _id: '1', id: name, modelId: name, sha: COMMIT, private: wanted !== undefined, gated: false },
      ...{ downloads: 0, likes: 0, tags: [], lastModified: '2026-01-01T00:00:00.000Z', disabled: false },
      siblings: found.files.map((file) => ({ rfilename: file.path })),
    });
  }

  function findFile(name: string, path: string): StoredFile | undefined {
    return repositories.get(name)?.files.find((file) => file.path === path);
  }

  function sendResolved(request: IncomingMessage, response: ServerResponse, name: string, path: string): void {
    const file = findFile(name, path);
    if (file === undefined) return refuse(response, 404, 'EntryNotFound', 'Entry not found');
    response.setHeader('x-repo-commit', COMMIT);
    if (file.sha256 === undefined) return send(request, response, file);
    response.writeHead(302, {
      // Another host, as the hub's storage is: the Python client takes the headers of a redirect within one host for its end.
      location: `${url.replace('127.0.0.1', 'localhost')}/storage/${name}/${path}`,
      etag: `"${file.sha256}"`,
      'x-linked-etag': `"${file.sha256}"`,
      'x-linked-size': String(file.content.byteLength),
    });
    response.end();
  }

  function send(request: IncomingMessage, response: ServerResponse, file: StoredFile): void {
    const total = file.content.byteLength;
    const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = Number(asked?.[1] ?? 0);
    const end = asked?.[2] === undefined || asked[2] === '' ? total : Math.min(Number(asked[2]) + 1, total);
    let content = file.content.subarray(start, end);
    if (options.isCorrupting === true && content.byteLength > 1) {
      content = Buffer.from(content);
      content[content.byteLength - 1] = (content[content.byteLength - 1] ?? 0) ^ 1;
    }
    response.writeHead(asked === null ? 200 : 206, {
      ...{ etag: `"${file.sha256 ?? file.oid}"`, 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' },
      'content-length': String(content.byteLength),
      ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${total}` }),
    });
    if (request.method === 'HEAD') return void response.end();
    if (left.cuts > 0 && content.byteLength > 1) {
      left.cuts -= 1;
      const half = content.subarray(0, Math.floor(content.byteLength / 2));
      count(file.path, half.byteLength);
      response.write(half, () => {
        // Whoever waits in vain says so; the download is cut either way.
        const ready = Promise.resolve(options.beforeCut?.(start + half.byteLength));
        void ready.catch(() => undefined).then(() => response.destroy());
      });
      return;
    }
    count(file.path, content.byteLength);
    response.end(content);
  }

  function count(path: string, bytes: number): void {
    // The question for one byte asks for the size.
    if (bytes > 1) sentBytes.set(path, (sentBytes.get(path) ?? 0) + bytes);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    sentBytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function store({ files, large = [] }: TestRepository): StoredFile[] {
  return Object.entries(files).map(([path, given]) => {
    const content = Buffer.from(given);
    return {
      ...{ path, content },
      oid: createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex'),
      sha256: large.includes(path) ? createHash('sha256').update(content).digest('hex') : undefined,
    };
  });
}

function describe({ path, content, oid, sha256 }: StoredFile): object {
  const size = content.byteLength;
  return {
    ...{ type: 'file', path, size, oid },
    ...(sha256 === undefined ? {} : { lfs: { oid: sha256, size, pointerSize: 130 } }),
  };
}

/** The client for JavaScript sends JSON, the one for Python a form. */
function readPaths(body: string, contentType = ''): string[] {
  if (contentType.includes('json')) return (JSON.parse(body) as { paths: string[] }).paths;
  return new URLSearchParams(body).getAll('paths');
}

async function readBody(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString('utf8');
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': message })
    .end(JSON.stringify({ error: message }));
}
