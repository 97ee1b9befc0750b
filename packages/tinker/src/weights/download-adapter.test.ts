import { copyFile, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

import { downloadAdapter } from './download-adapter.ts';
import type { DownloadAdapterOptions } from './download-adapter.ts';
import { engineConfig, makeAdapterTensors, makeEngineArchive, makeTar } from './make-archive.fixture.ts';
import { makeTemporaryFolder, sendRanged, startTestServer } from './test-server.fixture.ts';
import type { RangedBody, TestServer } from './test-server.fixture.ts';

const bare = '/api/v1/training_runs/m/checkpoints/n';
const typed = '/api/v1/training_runs/m/checkpoints/sampler_weights/n';
const sleep = async () => {};

/** Like SkyRL: the bare form alone, which leads to a download without ranges or versions. */
function likeSkyrl(archive: Uint8Array) {
  return (request: IncomingMessage, response: ServerResponse, { baseUrl }: TestServer) => {
    if (request.url === `${bare}/archive`) response.writeHead(302, { location: `${baseUrl}${bare}/download` }).end();
    else if (request.url === `${bare}/download`)
      response.writeHead(200, { 'content-length': archive.byteLength }).end(archive);
    else response.writeHead(405).end('{"detail":"Method Not Allowed"}');
  };
}

const download = (server: TestServer, destination: string, options: Partial<DownloadAdapterOptions> = {}) =>
  downloadAdapter({
    path: 'tinker://m/sampler_weights/n',
    destination,
    server: { baseUrl: server.baseUrl, headers: () => ({ 'x-api-key': 'tml-secret' }) },
    sleep,
    idleMs: 5000,
    ...options,
  });

/** A place where the reader's progress is waited for. */
function watchProgress() {
  let read = 0;
  let waiting = Promise.withResolvers<void>();
  return {
    onProgress: ({ bytes }: { bytes: number }): void => {
      read = bytes;
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
    whenRead: async (bytes: number): Promise<void> => {
      while (read < bytes) await waiting.promise;
    },
  };
}

test('an archive of the engine becomes a folder that names its modules', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer(likeSkyrl(makeEngineArchive()));
  const progress: number[] = [];
  const adapter = await download(server, folder.at('deep/adapter'), {
    onProgress: ({ bytes }) => progress.push(bytes),
  });
  expect(server.requests).toEqual([`GET ${typed}/archive`, `GET ${bare}/archive`, `GET ${bare}/download`]);
  expect([adapter.rank, adapter.targetModules, adapter.warnings]).toEqual([2, ['down_proj', 'q_proj'], []]);
  expect(adapter.header.tensors.size).toBe(8);
  expect(progress.at(-1)).toBe(makeEngineArchive().byteLength);
  expect(await readdir(folder.at('deep'))).toEqual(['adapter']);
  expect((await readdir(adapter.directory)).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
  expect(await readFile(`${adapter.directory}/adapter_model.safetensors`)).toEqual(makeAdapterTensors());
  expect(JSON.parse(await readFile(`${adapter.directory}/adapter_config.json`, 'utf8'))).toMatchObject({
    target_modules: ['down_proj', 'q_proj'],
    r: 2,
    lora_alpha: 32,
  });
});

test('the short path and an adapter inside a folder of a plain tar work too', async () => {
  await using folder = await makeTemporaryFolder();
  const tar = makeTar([
    { name: 'n/', type: '5' },
    { name: 'n/adapter_model.safetensors', data: makeAdapterTensors() },
    { name: 'n/adapter_config.json', data: engineConfig },
  ]);
  await using server = await startTestServer(likeSkyrl(tar));
  expect((await download(server, folder.at('a'), { path: 'tinker://m/n' })).rank).toBe(2);
});

test('a training state is never swapped for sampling weights of the same name', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer(likeSkyrl(makeEngineArchive()));
  const attempt = download(server, folder.at('a'), { path: 'tinker://m/weights/n' });
  await expect(attempt).rejects.toMatchObject({ reason: 'no-archive', status: 405, retryable: false });
  expect(server.requests).toEqual(['GET /api/v1/training_runs/m/checkpoints/weights/n/archive']);
});

test('the credential goes to the server and not to where it sends us', async () => {
  await using folder = await makeTemporaryFolder();
  const archive = makeEngineArchive();
  await using store = await startTestServer((request, response) =>
    sendRanged(request, response, { body: archive, etag: '"1"' }),
  );
  await using server = await startTestServer((_, response) =>
    response.writeHead(302, { location: `${store.baseUrl}/x?signature=s` }).end(),
  );
  await download(server, folder.at('a'));
  expect(server.headers[0]!['x-api-key']).toBe('tml-secret');
  expect(store.headers.map((headers) => headers['x-api-key'])).toEqual([undefined]);
});

test('a download that breaks off goes on where it stopped', async () => {
  await using folder = await makeTemporaryFolder();
  const archive = makeEngineArchive();
  const { onProgress, whenRead } = watchProgress();
  let breaks = 2;
  await using server = await startTestServer((request, response, { baseUrl }) => {
    if (request.url!.endsWith('/archive')) response.writeHead(302, { location: `${baseUrl}/blob` }).end();
    else {
      const breakAfter = breaks-- > 0 ? { bytes: 400, whenRead } : undefined;
      sendRanged(request, response, { body: archive, etag: '"1"', breakAfter });
    }
  });
  await download(server, folder.at('a'), { onProgress });
  expect(server.requests.filter((line) => line.includes('/blob'))).toEqual([
    'GET /blob',
    'GET /blob bytes=400-',
    'GET /blob bytes=800-',
  ]);
});

test('another process goes on where one died, unless the checkpoint has changed', async () => {
  await using folder = await makeTemporaryFolder();
  const old = makeEngineArchive({ config: engineConfig.replace('32', '16') });
  const archive = makeEngineArchive();
  const { onProgress, whenRead } = watchProgress();
  let current: RangedBody = { body: old, etag: '"old"', breakAfter: { bytes: 400, whenRead } };
  await using server = await startTestServer((request, response, { baseUrl }) => {
    if (request.url!.endsWith('/archive')) response.writeHead(302, { location: `${baseUrl}/blob` }).end();
    else sendRanged(request, response, current);
  });
  const attempt = () => download(server, folder.at('a'), { attempts: 1, onProgress });
  await expect(attempt()).rejects.toMatchObject({ reason: 'transport', retryable: true });
  expect(await readdir(folder.path)).toEqual(['a.download']);
  await expect(attempt()).rejects.toMatchObject({ reason: 'transport' });
  expect(server.requests.at(-1)).toBe('GET /blob bytes=400-');

  current = { body: archive, etag: '"new"' };
  const { directory } = await attempt();
  expect(server.requests.at(-1)).toBe('GET /blob bytes=800-');
  expect(JSON.parse(await readFile(`${directory}/adapter_config.json`, 'utf8'))['lora_alpha']).toBe(32);
  expect(await readdir(folder.path)).toEqual(['a']);
});

test('what was downloaded whole is asked about and not sent again', async () => {
  await using folder = await makeTemporaryFolder();
  const archive = makeEngineArchive({ tensors: Buffer.from('not safetensors at all') });
  await using server = await startTestServer((request, response, { baseUrl }) => {
    if (request.url!.endsWith('/archive')) response.writeHead(302, { location: `${baseUrl}/blob` }).end();
    else sendRanged(request, response, { body: archive, etag: '"1"' });
  });
  const sizes: number[] = [];
  const attempt = () => download(server, folder.at('a'), { onProgress: ({ bytes }) => sizes.push(bytes) });
  await expect(attempt()).rejects.toMatchObject({ reason: 'bad-safetensors' });
  const before = sizes.length;
  await expect(attempt()).rejects.toMatchObject({ reason: 'bad-safetensors' });
  expect([sizes.length, server.headers.at(-1)!['if-none-match']]).toEqual([before, '"1"']);
});

test('a server that is busy is asked again, one that refuses is not', async () => {
  await using folder = await makeTemporaryFolder();
  let failures = 3;
  const skyrl = likeSkyrl(makeEngineArchive());
  await using server = await startTestServer((request, response, self) => {
    if (failures-- > 0) response.writeHead(503).end();
    else skyrl(request, response, self);
  });
  const pauses: number[] = [];
  await download(server, folder.at('a'), { sleep: async (ms) => pauses.push(ms), random: () => 0 });
  expect(pauses).toEqual([500, 1000, 2000]);

  await using strict = await startTestServer((_, response) => response.writeHead(403).end('{"detail":"no"}'));
  await expect(download(strict, folder.at('b'))).rejects.toMatchObject({
    reason: 'refused',
    status: 403,
    retryable: false,
  });
  expect(strict.requests).toHaveLength(1);
});

test('silence ends a try, and the caller’s signal ends all', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer(() => {});
  const silent = download(server, folder.at('a'), { idleMs: 30, attempts: 2 });
  await expect(silent).rejects.toMatchObject({
    reason: 'transport',
    message: expect.stringContaining('silent for 30 ms'),
  });
  expect(server.requests).toHaveLength(2);
  const signal = AbortSignal.timeout(30);
  await expect(download(server, folder.at('a'), { signal })).rejects.toMatchObject({ reason: 'abandoned' });
  const late = download(server, folder.at('a'), { timeoutMs: 30 });
  await expect(late).rejects.toMatchObject({
    reason: 'transport',
    message: expect.stringContaining('longer than 30 ms'),
  });
  await expect(
    downloadAdapter({
      path: 'tinker://m/n',
      destination: folder.at('a'),
      attempts: 1,
      server: { baseUrl: 'http://127.0.0.1:1' },
    }),
  ).rejects.toMatchObject({ reason: 'transport', retryable: true });
});

test('a file address is refused unless it was allowed', async () => {
  await using folder = await makeTemporaryFolder();
  const checkpoint = folder.at('checkpoint');
  await mkdir(`${checkpoint}/adapter/lora-1`, { recursive: true });
  await writeFile(`${checkpoint}/adapter/lora-1/adapter_model.safetensors`, makeAdapterTensors());
  await writeFile(`${checkpoint}/adapter/lora-1/adapter_config.json`, engineConfig);
  let location = pathToFileURL(checkpoint).href;
  await using server = await startTestServer((_, response) => response.writeHead(302, { location }).end());
  await expect(download(server, folder.at('a'))).rejects.toMatchObject({ reason: 'unsafe-location' });
  expect((await download(server, folder.at('a'), { allowFileUrls: true })).rank).toBe(2);

  await writeFile(folder.at('archive.tar.gz'), makeEngineArchive());
  location = pathToFileURL(folder.at('archive.tar.gz')).href;
  expect((await download(server, folder.at('b'), { allowFileUrls: true })).rank).toBe(2);

  location = 'file://elsewhere/x';
  await expect(download(server, folder.at('c'), { allowFileUrls: true })).rejects.toMatchObject({
    reason: 'unsafe-location',
  });
  location = pathToFileURL(folder.at('missing')).href;
  await expect(download(server, folder.at('c'), { allowFileUrls: true })).rejects.toMatchObject({
    reason: 'no-archive',
  });
  await symlink(checkpoint, folder.at('link'));
  location = pathToFileURL(folder.at('link')).href;
  await expect(download(server, folder.at('c'), { allowFileUrls: true })).rejects.toMatchObject({
    reason: 'no-archive',
  });
  await mkdir(`${checkpoint}/second`);
  for (const file of ['adapter_model.safetensors', 'adapter_config.json']) {
    await copyFile(`${checkpoint}/adapter/lora-1/${file}`, `${checkpoint}/second/${file}`);
  }
  location = pathToFileURL(checkpoint).href;
  await expect(download(server, folder.at('c'), { allowFileUrls: true })).rejects.toMatchObject({
    reason: 'bad-adapter',
  });
});

test('external weights come from their signed addresses, which are signed again when they run out', async () => {
  await using folder = await makeTemporaryFolder();
  const files: Record<string, Buffer> = {
    'adapter_model.safetensors': makeAdapterTensors(),
    'adapter_config.json': Buffer.from(engineConfig),
    'README.md': Buffer.from('x'),
  };
  let signature = 0;
  await using store = await startTestServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    const name = url.pathname.slice(1);
    // The first signature is no longer good for the second file.
    if (name === 'adapter_config.json' && url.searchParams.get('signature') === '1') response.writeHead(403).end();
    else sendRanged(request, response, { body: files[name]!, etag: `"${name}"` });
  });
  await using server = await startTestServer((request, response) => {
    expect(request.url).toBe('/base/api/v1/training_runs/m/checkpoints/external_weights/n/external_weights_urls');
    signature += 1;
    const urls = Object.fromEntries(
      Object.keys(files).map((name) => [name, `${store.baseUrl}/${name}?signature=${signature}`]),
    );
    response.end(JSON.stringify({ urls, expires: '2026-01-01T00:00:00Z' }));
  });
  const { directory, rank } = await download(server, folder.at('a'), {
    path: 'tinker://m/external_weights/n',
    server: { baseUrl: `${server.baseUrl}/base/` },
  });
  expect([rank, signature, (await readdir(directory)).length]).toEqual([2, 2, 2]);
  expect(store.requests).toEqual([
    'GET /adapter_model.safetensors?signature=1',
    'GET /adapter_config.json?signature=1',
    'GET /adapter_config.json?signature=2',
  ]);
});

test('an export that is not one adapter, or cannot be read, is refused without quoting an address', async () => {
  await using folder = await makeTemporaryFolder();
  let body = '';
  await using server = await startTestServer((_, response) => response.end(body));
  const attempt = (value: unknown) => {
    body = JSON.stringify(value);
    return download(server, folder.at('a'), { path: 'tinker://m/external_weights/n' }).catch((error: unknown) => error);
  };
  const signed = 'https://store.example/x?signature=hidden';
  expect(await attempt({ urls: { 'model-00001.safetensors': signed } })).toMatchObject({ reason: 'bad-adapter' });
  expect(await attempt({ urls: { 'a/adapter_config.json': signed, 'b/adapter_config.json': signed } })).toMatchObject({
    reason: 'bad-adapter',
  });
  const unreadable = await attempt({ urls: { 'adapter_config.json': 'file:///etc/passwd?signature=hidden' } });
  expect(unreadable).toMatchObject({ reason: 'protocol' });
  expect(inspect(unreadable)).not.toContain('hidden');
});

test('nothing is left at the destination when the archive is hostile or too large', async () => {
  await using folder = await makeTemporaryFolder();
  const good = [
    { name: 'adapter_model.safetensors', data: makeAdapterTensors() },
    { name: 'adapter_config.json', data: engineConfig },
  ];
  const cases: [Uint8Array, Partial<DownloadAdapterOptions>, string][] = [
    [gzipSync(makeTar([...good, { name: '../../evil', data: 'x' }])), {}, 'unsafe-archive'],
    [gzipSync(makeTar([{ name: 'adapter_config.json', type: '2', linkName: '/etc/passwd' }])), {}, 'unsafe-archive'],
    [gzipSync(makeTar([...good, { name: 'b/adapter_config.json', data: '{}' }])), {}, 'bad-adapter'],
    [gzipSync(makeTar(good.slice(1))), {}, 'bad-adapter'],
    [gzipSync(makeTar([{ name: 'adapter_config.json', data: ' '.repeat(1024 * 1024 + 1) }])), {}, 'too-large'],
    [gzipSync(Buffer.alloc(5_000_000)), { limits: { unpackedBytes: 1_000_000 } }, 'too-large'],
    [makeEngineArchive(), { limits: { downloadBytes: 500 } }, 'too-large'],
    [makeEngineArchive(), { limits: { entries: 2 } }, 'too-large'],
    [makeEngineArchive().subarray(0, -20), {}, 'broken-archive'],
    [Buffer.from('<html>not found</html>'), {}, 'broken-archive'],
  ];
  for (const [archive, options, reason] of cases) {
    await using server = await startTestServer(likeSkyrl(archive));
    await expect(download(server, folder.at('a'), options), reason).rejects.toMatchObject({ reason });
    expect(await readdir(folder.path)).toEqual(['a.download']);
    expect((await readdir(folder.at('a.download'))).filter((name) => name.endsWith('.lock'))).toEqual([]);
  }
});

test('a folder that is there is kept, or replaced as a whole when asked', async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(folder.at('a'));
  await writeFile(folder.at('a/mine'), 'x');
  await using server = await startTestServer(likeSkyrl(makeEngineArchive()));
  await expect(download(server, folder.at('a'))).rejects.toMatchObject({ reason: 'exists' });
  expect([await readdir(folder.at('a')), server.requests]).toEqual([['mine'], []]);
  await download(server, folder.at('a'), { overwrite: true });
  expect([(await readdir(folder.at('a'))).length, await readdir(folder.path)]).toEqual([2, ['a']]);
});

test('a replacement that a process died in is undone when the next one fails', async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(folder.at('a'));
  await writeFile(folder.at('a/mine'), 'x');
  await rename(folder.at('a'), folder.at('a.replaced'));
  await using server = await startTestServer((_, response) => response.writeHead(403).end());
  await expect(download(server, folder.at('a'), { overwrite: true })).rejects.toMatchObject({ reason: 'refused' });
  expect(await readdir(folder.at('a'))).toEqual(['mine']);
});

test('two downloads to one folder at once: one makes it, the other is told', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer(likeSkyrl(makeEngineArchive()));
  const results = await Promise.allSettled([download(server, folder.at('a')), download(server, folder.at('a'))]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { reason: 'busy' } });
  expect(await readdir(folder.path)).toEqual(['a']);
});

test('redirects end, and none leads from https to http', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer((request, response) =>
    response.writeHead(302, { location: `${request.url}x` }).end(),
  );
  await expect(download(server, folder.at('a'))).rejects.toMatchObject({ reason: 'protocol' });
  const reply = async () => new Response(null, { status: 302, headers: { location: 'http://plain.example/x' } });
  await expect(
    download(server, folder.at('a'), { server: { baseUrl: 'https://safe.example', fetch: reply } }),
  ).rejects.toMatchObject({ reason: 'unsafe-location' });
});

test('a body shorter than it was said to be is not taken for whole', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await startTestServer(() => {});
  const archive = makeEngineArchive();
  const reply = async () =>
    new Response(archive.subarray(0, 600), { headers: { 'content-length': String(archive.byteLength) } });
  await expect(
    download(server, folder.at('a'), { attempts: 1, server: { baseUrl: server.baseUrl, fetch: reply } }),
  ).rejects.toMatchObject({
    reason: 'transport',
    message: expect.stringContaining(`600 of ${archive.byteLength} bytes`),
  });
});
