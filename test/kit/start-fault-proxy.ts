import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/**
 * What happens to a reply: `pass`; `drop-reply` (the server has sent it and knows so, the client sees a closed connection);
 * `cut-after-request` (both connections are reset once the whole request has gone through, so the server finds nobody to
 * answer; when this process comes too late for that, the reply passes and the next request is cut instead).
 */
export type ReplyFate = 'pass' | 'drop-reply' | 'cut-after-request';

export interface FaultProxyOptions {
  /** Where requests go, on 127.0.0.1. */
  readonly port: number;
  /** Asked once for each request, when it begins. */
  readonly decide: () => ReplyFate;
}

export interface FaultProxy {
  readonly port: number;
  /** Replies that did not arrive. */
  readonly dropped: number;
  end(): Promise<void>;
}

/**
 * Stands between HTTP/1.1 clients and a server and loses replies, never requests. It knows just enough of HTTP to see
 * where a request ends: requests must have a Content-Length or no body, and must not be pipelined.
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const counts = { dropped: 0, owed: 0 };
  const decide = (): ReplyFate => {
    if (counts.owed === 0) return options.decide();
    counts.owed -= 1;
    return 'cut-after-request';
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: options.port, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // An end that was not asked for is passed on by the 'close' of either side.
      socket.on('error', () => undefined);
    }
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
    joinWithFaults({
      client,
      upstream,
      decide,
      onDropped: () => (counts.dropped += 1),
      onLate: () => (counts.owed += 1),
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the proxy has no port'));
      else resolve(address.port);
    });
  });
  return {
    port,
    get dropped() {
      return counts.dropped;
    },
    async end() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Enough for a server on the same machine to read a small request, and less than it takes to store and answer it. */
const READ_MS = 1;
/** Later than this the reply may be on its way: the server would have found somebody to answer. */
const LATE_MS = 2.5;

function joinWithFaults(join: {
  client: Socket;
  upstream: Socket;
  decide: () => ReplyFate;
  onDropped: () => void;
  onLate: () => void;
}): void {
  const { client, upstream, decide, onDropped, onLate } = join;
  let fate: ReplyFate = 'pass';
  let head = '';
  /** Bytes of the request's body still to come; null between requests and inside a head. */
  let bodyLeft: number | null = null;

  const drop = (): void => {
    onDropped();
    client.resetAndDestroy();
    upstream.resetAndDestroy();
  };
  client.on('data', (chunk: Buffer) => {
    upstream.write(chunk);
    let bodyBytes = chunk.length;
    if (bodyLeft === null) {
      if (head === '') fate = decide();
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      bodyBytes = head.length - end - 4;
      bodyLeft = Number(/^content-length:\s*(\d+)/im.exec(head.slice(0, end))?.[1] ?? 0);
    }
    bodyLeft -= bodyBytes;
    if (bodyLeft > 0) return;
    head = '';
    bodyLeft = null;
    if (fate !== 'cut-after-request') return;
    const sentAt = performance.now();
    setTimeout(() => {
      // After the sockets were read: a reply that has come by then was sent, and is passed on.
      setImmediate(() => {
        if (fate !== 'cut-after-request') return;
        if (performance.now() - sentAt <= LATE_MS) drop();
        else {
          fate = 'pass';
          onLate();
        }
      });
    }, READ_MS);
  });
  upstream.on('data', (chunk: Buffer) => {
    if (fate === 'drop-reply') {
      drop();
      return;
    }
    fate = 'pass';
    client.write(chunk);
  });
}
