import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Knows the connections of a server that does not listen itself, and lets them end in peace. */
export class ConnectionDrain {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #busy = new Set<Socket>();
  #isFinishing = false;

  constructor(server: Server) {
    this.#server = server;
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.#busy.add(socket);
      if (this.#isFinishing) response.setHeader('connection', 'close');
      response.once('close', () => {
        this.#busy.delete(socket);
        if (this.#isFinishing) socket.destroySoon();
      });
    });
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /**
   * Ends idle connections, waits for busy ones, and cuts what is left after `timeoutMs`. Ended means in both directions: a
   * request read from a connection whose answer cannot leave would be done in vain, and done again when it is retried.
   */
  async finish(timeoutMs: number): Promise<void> {
    this.#isFinishing = true;
    for (const socket of this.#sockets) if (!this.#busy.has(socket)) socket.destroy();
    const end = performance.now() + timeoutMs;
    while (this.#busy.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.removeAllListeners('request');
  }
}
