import { createHash } from 'node:crypto';

interface StoredObject {
  bytes: Buffer;
  modifiedAtMs: number;
}

/** As much of an object store as blobs use, behind a `fetch`; it looks at checksums as a real one does. */
export function openMemoryS3(): { fetch: typeof fetch; damage(key: string): void; calls: string[] } {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  const calls: string[] = [];
  const reply = (status: number, body: Buffer | string = '', headers: Record<string, string> = {}) =>
    new Response(status === 204 || body.length === 0 ? null : new Uint8Array(Buffer.from(body)), { status, headers });

  function answer(method: string, url: URL, headers: Headers, body: Buffer): Response {
    const key = decodeURIComponent(url.pathname).split('/').slice(2).join('/');
    const query = url.searchParams;
    const uploadId = query.get('uploadId');
    const isTaken = headers.get('if-none-match') === '*' && objects.has(key);
    if (key === '') return query.has('uploads') ? reply(200, listUploads()) : reply(200, list(query));
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${uploads.size + 1}`;
      uploads.set(id, { key, parts: new Map() });
      return reply(200, `<UploadId>${id}</UploadId>`);
    }
    if (uploadId !== null) {
      const upload = uploads.get(uploadId);
      if (upload === undefined) return reply(404, '<Code>NoSuchUpload</Code>');
      if (method === 'PUT') {
        if (!isWhole(headers, body)) return reply(400, '<Code>BadDigest</Code>');
        upload.parts.set(Number(query.get('partNumber')), body);
        return reply(200, '', { etag: '"part"' });
      }
      if (method === 'POST' && isTaken) return reply(412);
      uploads.delete(uploadId);
      if (method === 'DELETE') return reply(204);
      const parts = [...upload.parts].toSorted(([left], [right]) => left - right).map(([, part]) => part);
      objects.set(key, { bytes: Buffer.concat(parts), modifiedAtMs: Date.now() });
      return reply(200, '<ETag>"whole"</ETag>');
    }
    const copied = headers.get('x-amz-copy-source')?.split('/').slice(2).join('/');
    if (method === 'PUT' && copied !== undefined) {
      const source = objects.get(copied);
      if (source === undefined) return reply(404, '<Code>NoSuchKey</Code>');
      objects.set(key, { bytes: source.bytes, modifiedAtMs: Date.now() });
      return reply(200);
    }
    if (method === 'PUT') {
      if (!isWhole(headers, body)) return reply(400, '<Code>BadDigest</Code>');
      if (isTaken) return reply(412, '<Code>PreconditionFailed</Code>');
      objects.set(key, { bytes: body, modifiedAtMs: Date.now() });
      return reply(200);
    }
    if (method === 'DELETE') return objects.delete(key) ? reply(204) : reply(204);
    return read(method, headers, objects.get(key));
  }

  function read(method: string, headers: Headers, object: StoredObject | undefined): Response {
    if (object === undefined) return reply(404, method === 'HEAD' ? '' : '<Code>NoSuchKey</Code>');
    const { bytes, modifiedAtMs } = object;
    const facts = { 'last-modified': new Date(modifiedAtMs).toUTCString() };
    if (method === 'HEAD') return reply(200, '', { ...facts, 'content-length': String(bytes.length) });
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.get('range') ?? '') ?? [];
    if (start === undefined) return reply(200, bytes, facts);
    if (Number(start) >= bytes.length) return reply(416, '<Code>InvalidRange</Code>');
    const part = bytes.subarray(Number(start), Number(end) + 1);
    return reply(206, part, { ...facts, 'content-range': `bytes ${start}-${end}/${bytes.length}` });
  }

  /** Three at a time, so that pages are turned. */
  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/') && key > after)
      .toSorted();
    const page = keys.slice(0, 3).map((key) => {
      const { bytes, modifiedAtMs } = objects.get(key)!;
      const at = new Date(modifiedAtMs).toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const next = keys.length > 3 ? `<NextContinuationToken>${keys[2]}</NextContinuationToken>` : '';
    return `<IsTruncated>${keys.length > 3}</IsTruncated>${next}${page.join('')}`;
  }

  const listUploads = (): string =>
    [...uploads]
      .map(([id, { key }]) => {
        const at = new Date().toISOString();
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`;
      })
      .join('');

  return {
    calls,
    fetch: async (input, init) => {
      const url = input as URL;
      const method = init?.method ?? 'GET';
      calls.push(`${method} ${url.pathname}`);
      const body = Buffer.from(typeof init?.body === 'string' ? init.body : ((init?.body as Uint8Array) ?? ''));
      return answer(method, url, new Headers(init?.headers), body);
    },
    damage: (key) => {
      objects.get(key)!.bytes[0]! ^= 1;
    },
  };
}

function isWhole(headers: Headers, body: Buffer): boolean {
  const digest = createHash('sha256').update(body).digest();
  const [signed, checksum] = [headers.get('x-amz-content-sha256'), headers.get('x-amz-checksum-sha256')];
  const isSigned = signed === null || signed === 'UNSIGNED-PAYLOAD' || signed === digest.toString('hex');
  return isSigned && (checksum === null || checksum === digest.toString('base64'));
}
