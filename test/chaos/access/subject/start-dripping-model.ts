import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DrippingModel {
  readonly url: string;
  close(): Promise<void>;
}

const EVERY_MS = 50;

/** An OpenAI-compatible server whose streams never end by themselves; whole replies repeat the last message. */
export async function startDrippingModel(): Promise<DrippingModel> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.once('end', () => {
      const body = readBody(Buffer.concat(pieces).toString());
      if (body.stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(
          () => response.write('data: {"choices":[{"index":0,"delta":{"content":"."}}]}\n\n'),
          EVERY_MS,
        );
        response.once('close', () => clearInterval(timer));
        return;
      }
      const content = body.messages?.at(-1)?.content ?? '';
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'toy', choices }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readBody(text: string): { stream?: boolean; messages?: { content?: string }[] } {
  try {
    return JSON.parse(text) as { stream?: boolean; messages?: { content?: string }[] };
  } catch {
    // Whatever else is sent here is answered too.
    return {};
  }
}
