import { hash } from 'node:crypto';
import { mapAtOnce } from './map-at-once.ts';
import { readElement, readElements } from './read-elements.ts';
import type { S3Reply, SendRequest } from './s3-client.ts';

export interface PutObjectOptions {
  send: SendRequest;
  key: string;
  bytes: Uint8Array;
  digest: string;
  /** Whether an object that is there stays as it is; the answer is then 412. */
  isNew: boolean;
  partBytes: number;
  /** A part that a test replaces. */
  checksumHeaders: (bytes: Uint8Array, digest?: string) => Record<string, string>;
}

const PARTS_AT_ONCE = 4;

/**
 * Puts an object, large ones in parts, each of which is checked and sent again by itself. Until the last call nothing has the
 * name; if we die before it the parts wait for `removeLeftovers`.
 */
export async function putObject(options: PutObjectOptions): Promise<S3Reply> {
  const { send, key, bytes, digest, isNew, partBytes, checksumHeaders } = options;
  const condition: Record<string, string> = isNew ? { 'if-none-match': '*' } : {};
  if (bytes.byteLength <= partBytes) {
    const headers = { ...checksumHeaders(bytes, digest), ...condition };
    return await send({ method: 'PUT', key, headers, body: bytes, expect: [412] });
  }
  const uploadId = await beginUpload(send, key);
  try {
    const starts = Array.from({ length: Math.ceil(bytes.byteLength / partBytes) }, (_, index) => index * partBytes);
    const parts = await mapAtOnce(starts, PARTS_AT_ONCE, async (start, index) => {
      const body = bytes.subarray(start, start + partBytes);
      const partDigest = hash('sha256', body);
      const query = { partNumber: String(index + 1), uploadId };
      const reply = await send({ method: 'PUT', key, query, headers: checksumHeaders(body, partDigest), body });
      return { etag: reply.headers.get('etag') ?? '', checksum: Buffer.from(partDigest, 'hex').toString('base64') };
    });
    const body = describeParts(parts);
    const headers = { 'x-amz-content-sha256': hash('sha256', body), ...condition };
    const query = { uploadId };
    const reply = await send({ method: 'POST', key, query, headers, body, expect: [412, 404] });
    if (reply.status === 404) return await judgeLostUpload(options, reply);
    // The answer begins with 200 before the work is done, so a failure may stand inside of it.
    if (reply.status === 200 && readElement(new TextDecoder().decode(reply.body), 'ETag') === undefined) {
      throw new Error(`The object store did not join the parts of ${key}.`);
    }
    if (reply.status === 412) await abortUpload(send, key, uploadId);
    return reply;
  } catch (error) {
    // What is left is cleared with the leftovers; the put says what went wrong.
    await abortUpload(send, key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** No such upload: it was joined by a try whose answer was lost, or somebody cleared it. */
async function judgeLostUpload({ send, key, bytes }: PutObjectOptions, reply: S3Reply): Promise<S3Reply> {
  const found = await send({ method: 'HEAD', key, expect: [404] });
  if (found.status === 200 && Number(found.headers.get('content-length')) === bytes.byteLength) return found;
  throw new Error(`The object store lost the parts of ${key} (${reply.status}).`);
}

async function beginUpload(send: SendRequest, key: string): Promise<string> {
  const headers = { 'x-amz-checksum-algorithm': 'SHA256' };
  const { body } = await send({ method: 'POST', key, query: { uploads: '' }, headers });
  const uploadId = readElement(new TextDecoder().decode(body), 'UploadId');
  if (uploadId === undefined) throw new Error(`The object store began no upload of ${key}.`);
  return uploadId;
}

const describeParts = (parts: readonly { etag: string; checksum: string }[]): string =>
  `<CompleteMultipartUpload>${parts
    .map(
      ({ etag, checksum }, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
    )
    .join('')}</CompleteMultipartUpload>`;

async function abortUpload(send: SendRequest, key: string, uploadId: string): Promise<void> {
  await send({ method: 'DELETE', key, query: { uploadId }, expect: [404] });
}

/** Ends uploads that were begun before that time and never joined; returns how many. */
export async function abortOldUploads(options: {
  send: SendRequest;
  prefix: string;
  modifiedBeforeMs: number;
}): Promise<number> {
  const { send, prefix, modifiedBeforeMs } = options;
  const xml = new TextDecoder().decode((await send({ method: 'GET', key: '', query: { uploads: '', prefix } })).body);
  let aborted = 0;
  for (const upload of readElements(xml, 'Upload')) {
    const key = readElement(upload, 'Key') ?? '';
    const uploadId = readElement(upload, 'UploadId');
    const begunAtMs = Date.parse(readElement(upload, 'Initiated') ?? '');
    if (!key.startsWith(prefix) || uploadId === undefined || !(begunAtMs < modifiedBeforeMs)) continue;
    await abortUpload(send, key.slice(prefix.length), uploadId);
    aborted += 1;
  }
  return aborted;
}
