import { isRecord } from '@lachesis/protocol';
import type { SendUpstream } from './send-upstream.ts';

/** The first call waits for it. */
const TIMEOUT_MS = 2_000;
/** A list of thousands of models is some megabytes, and none of theirs returns tokens. */
const MAX_BYTES = 1024 * 1024;

/** Who an upstream says owns its models: `vllm`, `lachesis`, or a provider. */
export async function findOwner(options: {
  send: SendUpstream;
  /** With its `/v1`. */
  url: string;
  apiKey: string | undefined;
}): Promise<string | undefined> {
  const { send, url, apiKey } = options;
  const { status, body } = await send({
    method: 'GET',
    url: `${url.replace(/\/+$/, '')}/models`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  if (status !== 200) throw new Error(`HTTP ${status}`);
  const list: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const [first] = isRecord(list) && Array.isArray(list['data']) ? (list['data'] as unknown[]) : [];
  return isRecord(first) && typeof first['owned_by'] === 'string' ? first['owned_by'] : undefined;
}
