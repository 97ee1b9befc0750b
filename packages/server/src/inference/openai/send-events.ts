import type { FastifyReply } from 'fastify';

/** Sends a list of events as a stream, waiting when the client reads slowly. */
export async function sendEvents(reply: FastifyReply, events: Iterable<unknown>): Promise<FastifyReply> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  for (const event of events) {
    if (raw.destroyed) return reply;
    if (!raw.write(`data: ${JSON.stringify(event)}\n\n`)) await drained(raw);
  }
  raw.end('data: [DONE]\n\n');
  return reply;
}

function drained(raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.once('drain', done);
    raw.once('close', done);
  });
}
