import { mapAtOnce } from './map-at-once.ts';
import type { SendRequest } from './s3-client.ts';

const PARTS_AT_ONCE = 4;

/** The bytes of an object, large ones by ranges, each of which is asked for again by itself. Undefined when there is none. */
export async function getObject(options: {
  send: SendRequest;
  key: string;
  partBytes: number;
}): Promise<Uint8Array | undefined> {
  const { send, key, partBytes } = options;
  const readRange = async (start: number) => {
    const headers = { range: `bytes=${start}-${start + partBytes - 1}` };
    return await send({ method: 'GET', key, headers, expect: [404, 416] });
  };
  const first = await readRange(0);
  if (first.status === 404) return undefined;
  // No range fits into nothing.
  if (first.status === 416) return new Uint8Array();
  const total = Number(/\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1] ?? first.body.byteLength);
  if (total <= first.body.byteLength) return first.body;
  const bytes = new Uint8Array(total);
  bytes.set(first.body);
  const starts: number[] = [];
  for (let start = first.body.byteLength; start < total; start += partBytes) starts.push(start);
  const replies = await mapAtOnce(starts, PARTS_AT_ONCE, async (start) => {
    const { status, body } = await readRange(start);
    if (status < 300 && start + body.byteLength <= total) bytes.set(body, start);
    return status;
  });
  // Removed, or replaced by something shorter, while it was read.
  return replies.includes(404) ? undefined : bytes;
}
