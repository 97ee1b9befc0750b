import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  body: unknown;
}

export type Post = (call: { url: string; token: string; body: unknown; timeoutMs: number }) => Promise<Answer>;

/** Most bytes of an answer: a hundred thousand ids of groups. */
const MOST_BYTES = 32 * 1024 ** 2;

/**
 * Sends JSON over connections that are kept, and reads the JSON that comes back. One try: who asks looks first whether the owner is
 * still the same, where the client of the SDK would ask the same server again.
 */
export function postJson(): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  return ({ url, token, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const call = request(
        url,
        {
          ...{ agent, method: 'POST', signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))) },
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': bytes.length,
          },
        },
        (reply) => {
          const chunks: Buffer[] = [];
          let size = 0;
          reply.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size > MOST_BYTES) reply.destroy(new Error('the answer is too large'));
          });
          reply.on('error', reject);
          reply.on('end', () => {
            try {
              resolve({ status: reply.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          });
        },
      );
      call.on('error', reject);
      call.end(bytes);
    });
}
