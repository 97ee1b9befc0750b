import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP relay whose wire can be cut: after that bytes go nowhere and no side is told, as with an unplugged cable. */
export interface CuttableProxy extends AsyncDisposable {
  readonly port: number;
  cut(): void;
  mend(): void;
}

export async function createCuttableProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    const relay = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on('close', () => {
        sockets.delete(from);
        if (!isCut) to.destroy();
      });
      from.on('error', () => from.destroy());
    };
    relay(near, far);
    relay(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
