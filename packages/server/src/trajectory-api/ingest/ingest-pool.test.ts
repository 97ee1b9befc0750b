import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeFrames } from '@lachesis/protocol';
import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import { DiskFullError, openLibraryBlobs } from '@lachesis/store/blobs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runIngestJob } from './ingest-job.ts';
import type { JobBlobs } from './job-blobs.ts';
import { runAssembleJob } from './reply-jobs.ts';
import { runStorePackedJob } from './store-packed-job.ts';
import { defaultIngestLimits } from './ingest-limits.ts';
import { BrokenPayloadsError, createIngestPool, IngestWorkerError } from './ingest-pool.ts';
import type { IngestPoolOptions } from './ingest-pool.ts';
import { writeBody } from './reference.fixture.ts';

async function openPool(options: Partial<IngestPoolOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'lachesis-pool-'));
  const blobPlace = join(directory, 'blobs');
  mkdirSync(blobPlace);
  writeFileSync(join(blobPlace, '.library'), '{"library_id":"ours"}');
  await (await openLibraryBlobs({ place: blobPlace, libraryId: 'ours' })).prepare();
  const pool = createIngestPool({ blobPlace, libraryId: 'ours', ...options });
  return {
    pool,
    directory,
    async [Symbol.asyncDispose]() {
      await pool.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const packed = (): Uint8Array =>
  encodeGroup({
    header: { env_id: 3 },
    tokens: { values: Uint32Array.of(1, 2, 3), rowLengths: Uint32Array.of(2, 1) },
    masks: { values: Int32Array.of(-100, 2, 3), rowLengths: Uint32Array.of(2, 1) },
    scores: Float64Array.of(1, 0.5),
    policyRanges: Uint32Array.of(0, 0, 2, 7, 1, 0, 1, 9),
  });

describe('the pool', () => {
  test('stores groups of both APIs and hands them out', async () => {
    await using opened = await openPool();
    const { pool } = opened;
    const one = await pool.ingest({ body: gzipSync(writeBody({ env_id: '4' })), encoding: 'gzip', shape: 'one' });
    const list = await pool.ingest({
      body: encode(`[${writeBody({ tokens: '[[5,6]]' })},${writeBody({ scores: '[NaN]' })}]`),
      encoding: 'identity',
      shape: 'list',
    });
    const native = await pool.storePacked({ body: packed() });
    if (one.kind !== 'groups' || list.kind !== 'groups' || native.kind !== 'stored') throw new Error('not stored');
    expect(one.groups[0]).toMatchObject({ envId: 4, sequenceCount: 1, tokenCount: 1, nonFiniteFields: [] });
    expect(one.groups[0]).not.toHaveProperty('payload');
    expect(list.groups.map((group) => group.nonFiniteFields)).toEqual([[], ['scores']]);
    expect(native.group).toMatchObject({ sequenceCount: 2, tokenCount: 3, policyVersionMin: 7, policyVersionMax: 9 });

    const digests = [one.groups[0]!.digest, list.groups[0]!.digest, native.group.digest];
    const plain = await pool.assemble({ digests, acceptsGzip: false, shape: 'batch' });
    const gzip = await pool.assemble({ digests: [...digests, ...digests], acceptsGzip: true, shape: 'batch' });
    const batch = JSON.parse(Buffer.concat(plain.chunks).toString()) as {
      batch: { tokens: number[][]; env_id: number | null }[];
    };
    expect(batch.batch.map((group) => group.tokens)).toEqual([[[1]], [[5, 6]], [[1, 2], [3]]]);
    expect(batch.batch.map((group) => group.env_id)).toEqual([4, null, 3]);
    expect(gzip.contentEncoding).toBe('gzip');
    expect(JSON.parse(gunzipSync(Buffer.concat(gzip.chunks)).toString())).toEqual({
      batch: [...batch.batch, ...batch.batch],
    });
    const latest = await pool.assemble({ digests: digests.slice(1, 2), acceptsGzip: true, shape: 'group' });
    expect(JSON.parse(Buffer.concat(latest.chunks).toString())).toEqual(batch.batch[1]);

    const frames = await pool.readFrames({ digests });
    const body = Buffer.concat(frames.chunks);
    expect(body.length).toBe(frames.contentLength);
    expect(Buffer.compare(decodeFrames(body)[2]!, packed())).toBe(0);
  });

  test('refuses bad bodies of both APIs with their issues', async () => {
    await using opened = await openPool();
    const json = await opened.pool.ingest({ body: encode('{'), encoding: 'identity', shape: 'one' });
    const native = await opened.pool.storePacked({ body: packed().slice(0, 40) });
    expect([json.kind, native.kind]).toEqual(['refused', 'refused']);
  });

  test('names the payloads that are missing or damaged', async () => {
    await using opened = await openPool();
    const stored = await opened.pool.storePacked({ body: packed() });
    if (stored.kind !== 'stored') throw new Error('not stored');
    const { digest } = stored.group;
    const missing = 'f'.repeat(64);
    const request = { digests: [digest, missing], acceptsGzip: true, shape: 'batch' } as const;
    const error = await opened.pool.assemble(request).catch((caught: unknown) => caught);
    expect(BrokenPayloadsError.isInstance(error) && error.digests).toEqual([missing]);
    writeFileSync(join(opened.directory, 'blobs', digest.slice(0, 2), digest), 'damaged');
    await expect(opened.pool.readFrames({ digests: [digest] })).rejects.toMatchObject({ digests: [digest] });
  });

  test('runs many jobs on few threads', async () => {
    await using opened = await openPool({ size: 2 });
    const bodies = Array.from({ length: 40 }, (_, index) => encode(writeBody({ env_id: String(index) })));
    const results = await Promise.all(
      bodies.map((body) => opened.pool.ingest({ body, encoding: 'identity', shape: 'one' })),
    );
    expect(results.map((result) => result.kind === 'groups' && result.groups[0]!.envId)).toEqual(
      bodies.map((_, index) => index),
    );
  });

  test('replaces a worker that dies and rejects only its jobs', async () => {
    await using opened = await openPool({ size: 1, workerUrl: writeWorker() });
    const { pool } = opened;
    const results = await Promise.allSettled([
      pool.readFrames({ digests: ['exit'] }),
      pool.readFrames({ digests: ['throw'] }),
      pool.readFrames({ digests: ['answer'] }),
    ]);
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(IngestWorkerError.isInstance(result.reason) && result.reason.reason).toBe('crashed');
    }
  });

  test('gives up on a job that takes too long', async () => {
    // Long enough for a thread to start on a busy machine: the second job waits for a new one.
    await using opened = await openPool({ size: 1, workerUrl: writeWorker(), jobTimeoutMs: 2000 });
    await expect(opened.pool.readFrames({ digests: ['hang'] })).rejects.toMatchObject({ reason: 'timed-out' });
    await expect(opened.pool.readFrames({ digests: ['answer'] })).resolves.toMatchObject({ contentLength: 0 });
  });

  test('finishes what it has and refuses more once it closes', async () => {
    await using opened = await openPool({ size: 1 });
    const body = encode(writeBody({}));
    const running = opened.pool.ingest({ body: body.slice(), encoding: 'identity', shape: 'one' });
    const closed = opened.pool.close();
    expect(opened.pool.close()).toBe(closed);
    await expect(opened.pool.ingest({ body, encoding: 'identity', shape: 'one' })).rejects.toMatchObject({
      reason: 'closed',
    });
    expect((await running).kind).toBe('groups');
    await closed;
    expect(readdirSync(join(opened.directory, 'blobs'), { recursive: true })).toHaveLength(256 + 2);
  });
});

test('a payload that cannot be written as JSON is named, not the whole batch', async () => {
  const group = decodeGroup(packed());
  const payloads = [
    packed(),
    encodeGroup({ ...group, scores: Float64Array.of(1, Number.NaN) }),
    Uint8Array.of(1, 2, 3),
  ];
  const blobs: JobBlobs = { put: () => Promise.resolve(), get: async (digest) => payloads[Number(digest)]! };
  const reply = await runAssembleJob({ digests: ['0', '1', '2'], acceptsGzip: true, shape: 'batch' }, blobs);
  expect(reply).toEqual({ kind: 'broken', digests: ['1', '2'] });
});

describe('a full disk', () => {
  const failing = (error: Error): JobBlobs => ({
    put: () => Promise.reject(error),
    get: async () => new Uint8Array(),
  });
  const ingest = (error: Error) =>
    runIngestJob({ body: encode(writeBody({})), encoding: 'identity', shape: 'one' }, failing(error));

  test('is an outcome, not an exception', async () => {
    for (const error of [Object.assign(new Error('full'), { code: 'ENOSPC' }), new DiskFullError({ target: 'blob' })]) {
      expect(await ingest(error)).toEqual({ kind: 'disk-full' });
      expect(await runStorePackedJob({ body: packed(), limits: defaultIngestLimits }, failing(error))).toEqual({
        kind: 'disk-full',
      });
    }
  });

  test('is not confused with other failures', async () => {
    await expect(ingest(new Error('broken disk'))).rejects.toThrow('broken disk');
  });
});

/** A worker that does what the first digest of its job says. */
function writeWorker(): URL {
  const directory = mkdtempSync(join(tmpdir(), 'lachesis-worker-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'worker.mjs');
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, request }) => {
  const [what] = request.digests;
  if (what === 'exit') process.exit(3);
  if (what === 'throw') setImmediate(() => { throw new Error('lost'); });
  if (what === 'answer') parentPort.postMessage({ id, result: { chunks: [], contentEncoding: null, contentLength: 0 } });
});`,
  );
  return pathToFileURL(path);
}
