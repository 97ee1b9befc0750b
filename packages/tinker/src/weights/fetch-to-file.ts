import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import type { FileVersion, Staging } from './staging.ts';
import { WeightsError } from './weights-error.ts';
import { openUrl, redirectOf, refusal } from './weights-server.ts';
import type { OpenResponse, WeightsServer } from './weights-server.ts';
import { withRetries } from './with-retries.ts';
import type { RetrySettings } from './with-retries.ts';

/** How a download behaves on a bad day. */
export interface FetchSettings extends RetrySettings {
  server: WeightsServer;
  /** How long a server may be silent. */
  idleMs: number;
  /** Guards the disk against an endless body. */
  maxBytes: number;
  onProgress?: ((progress: { file: string; bytes: number; totalBytes: number | undefined }) => void) | undefined;
}

export interface FetchToFileOptions extends FetchSettings {
  staging: Staging;
  /** Name inside the staging folder. */
  file: string;
  /** Asked before each try, because signed addresses expire. */
  locate(): Promise<URL>;
}

const MAX_REDIRECTS = 5;

/** Downloads to a file of the staging folder, continuing what an earlier try or process left there. */
export const fetchToFile = (options: FetchToFileOptions): Promise<string> =>
  withRetries(options, () => fetchOnce(options));

async function fetchOnce(options: FetchToFileOptions): Promise<string> {
  const { staging, file, locate } = options;
  const [whole, part] = [path.join(staging.directory, file), path.join(staging.directory, `${file}.part`)];
  const version = staging.versionOf(file);
  const validator = strongValidator(version);
  const [hasWhole, partBytes] = [(await sizeOf(whole)) !== undefined, (await sizeOf(part)) ?? 0];
  const isChecking = hasWhole && version?.etag !== undefined;
  const from = !isChecking && validator !== undefined ? partBytes : 0;

  const headers: Record<string, string> = {
    ...(isChecking ? { 'if-none-match': version.etag } : {}),
    ...(from > 0 ? { range: `bytes=${from}-`, 'if-range': validator! } : {}),
  };
  const opened = await openFollowing({ options, url: await locate(), headers });
  try {
    const { status } = opened.response;
    if (isChecking && status === 304) return whole;
    if (status === 206 && from > 0 && startsAt(opened, from)) {
      await receive({ options, opened, part, from });
    } else if (status === 200) {
      // Forgotten before the first byte is overwritten: a death in between must not join two versions.
      await rm(whole, { force: true });
      await rm(part, { force: true });
      await staging.setVersion(file, versionOf(opened));
      await receive({ options, opened, part, from: 0 });
    } else if (status === 206 || status === 416) {
      await rm(part, { force: true });
      throw retry(opened, 'a byte range that does not fit');
    } else if ([401, 403, 404, 410].includes(status) && opened.url.origin !== new URL(options.server.baseUrl).origin) {
      // A signed address that has run out: the next try asks for another.
      throw retry(opened, 'a signed address');
    } else {
      throw refusal(opened, 'a download');
    }
  } finally {
    opened.close();
  }
  await rename(part, whole);
  return whole;
}

async function receive({
  options,
  opened,
  part,
  from,
}: {
  options: FetchToFileOptions;
  opened: OpenResponse;
  part: string;
  from: number;
}): Promise<void> {
  const { file, maxBytes, onProgress } = options;
  const length = opened.response.headers.get('content-length');
  const isEncoded = (opened.response.headers.get('content-encoding') ?? 'identity') !== 'identity';
  const totalBytes = length === null || isEncoded ? undefined : from + Number(length);
  let bytes = from;
  await using handle = await open(part, from === 0 ? 'w' : 'a');
  for await (const piece of tooLong(totalBytes, maxBytes) ? [] : opened.bytes()) {
    bytes += piece.byteLength;
    if (tooLong(bytes, maxBytes)) break;
    await handle.writeFile(piece);
    onProgress?.({ file, bytes, totalBytes });
  }
  if (tooLong(totalBytes, maxBytes) || tooLong(bytes, maxBytes)) {
    throw new WeightsError({ reason: 'too-large', message: `${file} has more than ${maxBytes} bytes.` });
  }
  if (totalBytes !== undefined && bytes !== totalBytes) {
    const message = `${opened.url.host} sent ${bytes} of ${totalBytes} bytes of ${file}.`;
    throw new WeightsError({ reason: 'transport', message });
  }
  await handle.sync();
}

/** Follows redirects. The credential stays with the server it is for: `openUrl` looks at each address. */
async function openFollowing({
  options: { server, idleMs, signal },
  url,
  headers,
}: {
  options: FetchSettings;
  url: URL;
  headers: Record<string, string>;
}): Promise<OpenResponse> {
  let next = url;
  if (url.protocol === 'file:') throw unsafeFile(new URL(server.baseUrl));
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const opened = await openUrl({ server, url: next, headers, idleMs, signal });
    const target = redirectOf(opened);
    if (target === undefined) return opened;
    opened.close();
    if (target.protocol === 'file:') throw unsafeFile(next);
    next = target;
  }
  throw new WeightsError({ reason: 'protocol', message: `${next.host} redirects more than ${MAX_REDIRECTS} times.` });
}

export const unsafeFile = (from: URL): WeightsError =>
  new WeightsError({
    reason: 'unsafe-location',
    message: `${from.host} points to a file on a disk. Allow it with allowFileUrls when that server runs on this machine.`,
  });

/** A weak ETag promises the same meaning, not the same bytes. */
function strongValidator(version: FileVersion | undefined): string | undefined {
  const { etag, lastModified } = version ?? {};
  return etag === undefined || etag.startsWith('W/') ? lastModified : etag;
}

function versionOf({ response }: OpenResponse): FileVersion | undefined {
  const [etag, lastModified] = [response.headers.get('etag'), response.headers.get('last-modified')];
  if (etag === null && lastModified === null) return undefined;
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

const startsAt = ({ response }: OpenResponse, from: number): boolean =>
  response.headers.get('content-range')?.startsWith(`bytes ${from}-`) === true;

const retry = ({ response, url }: OpenResponse, what: string): WeightsError =>
  new WeightsError({
    reason: 'transport',
    status: response.status,
    message: `${url.host} answered ${response.status} to ${what}.`,
  });

const tooLong = (bytes: number | undefined, maxBytes: number): boolean => bytes !== undefined && bytes > maxBytes;

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}
