import type { PathInfo } from '@huggingface/hub';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { HubError } from './hub-error.ts';
import { pause } from './send-to-hub.ts';

/** How much of one file has come from the hub. */
export interface HubProgress {
  readonly path: string;
  readonly receivedBytes: number;
  readonly totalBytes: number;
}

export interface DownloadBlobOptions {
  readonly info: PathInfo;
  readonly repository: string;
  /** Where blobs are kept by their hash. */
  readonly directory: string;
  /** Opens the file on the hub; a part of it is asked for by slicing. */
  readonly open: () => Promise<Blob | null>;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: HubProgress) => void) | undefined;
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

const ATTEMPTS = 5;
const PAUSE_MS = 500;
/** A download of which nothing arrives for so long is cut and begun again where it stopped. */
const STALL_MS = 60_000;

/** Brings one file into the cache, by its hash, and gives its path. What arrived before is gone on with. */
export async function downloadBlob(options: DownloadBlobOptions): Promise<string> {
  const { info, directory, repository, signal, sleep = pause } = options;
  const name = info.lfs?.oid ?? info.oid ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(name)) throw new Error(`the hub names no hash of ${info.path}`);
  const finished = join(directory, name);
  if (await isWhole(finished, sizeOf(info))) return finished;
  await mkdir(directory, { recursive: true });
  const partial = join(directory, `${name}.${process.pid}.incomplete`);
  await adopt(directory, name, partial);
  for (let attempt = 1; ; attempt++) {
    try {
      await receive(options, partial);
      if (!(await hasHash(partial, info))) {
        // Bytes that are wrong somewhere cannot be gone on with.
        await rm(partial, { force: true });
        throw new HubError({
          ...{ kind: 'broken-file', repository },
          reason: `${info.path} of ${repository} arrived with another hash than the hub announced.`,
          hint: 'Nothing of it was kept. Try again; if it happens each time, what stands between this machine and the hub changes files.',
        });
      }
      await syncFile(partial);
      // Whole and on disk before it has its name: who finds the name finds the file.
      await rename(partial, finished);
      return finished;
    } catch (error) {
      if (signal.aborted || attempt >= ATTEMPTS) {
        await leave(partial, join(directory, `${name}.incomplete`));
        throw error;
      }
      await sleep(PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}

const sizeOf = ({ lfs, size }: PathInfo): number => lfs?.size ?? size;

async function isWhole(path: string, size: number): Promise<boolean> {
  return (await sizeOnDisk(path)) === size;
}

async function sizeOnDisk(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
}

/** Takes over what a process left that is gone. One renames it; who comes second finds nothing and begins anew. */
async function adopt(directory: string, name: string, partial: string): Promise<void> {
  for (const file of await readdir(directory)) {
    const pid = new RegExp(`^${name}(?:\\.(\\d+))?\\.incomplete$`).exec(file);
    if (pid === null || (pid[1] !== undefined && isAlive(Number(pid[1])))) continue;
    const taken = await rename(join(directory, file), partial).then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const leave = (partial: string, shared: string): Promise<void> => rename(partial, shared).catch(() => undefined);

/** Appends what is missing. */
async function receive(
  { info, open: openFile, signal, onProgress }: DownloadBlobOptions,
  partial: string,
): Promise<void> {
  const total = sizeOf(info);
  let received = (await sizeOnDisk(partial)) ?? 0;
  if (received > total) {
    await rm(partial, { force: true });
    received = 0;
  }
  if (received === total && total > 0) return;
  const blob = await openFile();
  if (blob === null) throw new Error(`the hub lists ${info.path} and does not have it`);
  const stalled = new AbortController();
  let timer = setTimeout(onStall, STALL_MS);
  function onStall(): void {
    stalled.abort(new Error(`nothing arrived for ${STALL_MS / 1000} s`));
  }
  const rest = received === 0 ? blob : blob.slice(received, total);
  const body = Readable.fromWeb(rest.stream() as ReadableStream<Uint8Array>);
  body.on('data', (piece: Uint8Array) => {
    clearTimeout(timer);
    timer = setTimeout(onStall, STALL_MS);
    received += piece.byteLength;
    onProgress?.({ path: info.path, receivedBytes: Math.min(received, total), totalBytes: total });
  });
  try {
    await pipeline(body, createWriteStream(partial, { flags: 'a' }), {
      signal: AbortSignal.any([signal, stalled.signal]),
    });
  } finally {
    clearTimeout(timer);
  }
  if (received < total) throw new Error(`${info.path} ended after ${received} of ${total} bytes`);
}

/** SHA-256 of the content for large files, the name git gives a blob for the others. */
async function hasHash(path: string, info: PathInfo): Promise<boolean> {
  const size = await sizeOnDisk(path);
  const hash: Hash = info.lfs === undefined ? createHash('sha1').update(`blob ${size}\0`) : createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === (info.lfs?.oid ?? info.oid);
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}
