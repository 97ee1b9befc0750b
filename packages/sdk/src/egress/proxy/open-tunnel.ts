import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Passage } from './open-passage.ts';

export interface TunnelOptions {
  readonly client: Socket;
  /** What the client sent behind its request without waiting for the answer. */
  readonly head: Buffer;
  readonly passage: Passage;
  readonly dial: () => Socket;
}

/** Connects a client with where it may go, and counts both ways. Rejects when the other side cannot be reached. */
export async function openTunnel({ client, head, passage, dial }: TunnelOptions): Promise<void> {
  const server = dial();
  server.allowHalfOpen = true;
  const end = (): void => {
    server.destroy();
    client.destroy();
  };
  passage.signal.addEventListener('abort', () => server.destroy(passage.signal.reason as Error), { once: true });
  await new Promise<void>((resolve, reject) => {
    server.once('connect', resolve);
    server.once('error', reject);
    server.once('close', () => reject(new Error('the connection was closed')));
  });
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) {
    passage.up(head.length);
    server.write(head);
  }
  client.on('data', (bytes: Buffer) => passage.up(bytes.length));
  server.on('data', (bytes: Buffer) => passage.down(bytes.length));
  // One side may be done with writing while the other is not; an error on either ends both.
  await Promise.all([pipeline(client, server), pipeline(server, client)]).catch(() => undefined);
  end();
}
