import type { FastifyReply } from 'fastify';

export interface RawReply {
  status: number;
  headers: Record<string, string | number>;
  chunks: readonly Uint8Array[];
}

/**
 * Sends a reply and says whether all of it was handed to the operating system: false when the client went away first.
 * That answer decides whether a batch left and whether an equal POST would be a retry.
 */
export function sendAndConfirm(reply: FastifyReply, { status, headers, chunks }: RawReply): Promise<boolean> {
  reply.hijack();
  const { raw } = reply;
  return new Promise((resolve) => {
    if (raw.destroyed || raw.socket === null || raw.socket.destroyed) {
      resolve(false);
      return;
    }
    raw.once('finish', () => resolve(true));
    raw.once('close', () => resolve(raw.writableFinished));
    raw.once('error', () => resolve(false));
    raw.writeHead(status, { ...(reply.getHeaders() as RawReply['headers']), ...headers });
    for (const chunk of chunks) raw.write(chunk);
    raw.end();
  });
}
