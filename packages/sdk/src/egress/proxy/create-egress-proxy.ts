import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { portOf, type EgressRule, type EgressTarget } from '../create-egress-rule.ts';
import { createEgressMeter, type EgressMeter, type EgressQuotas } from './create-egress-meter.ts';
import type { EgressLogEntry, EgressVerdict } from './egress-log.ts';
import { createRequestJudge, type RequestRefusal } from './create-request-judge.ts';
import { forwardRequest } from './forward-request.ts';
import { openPassage, type Passage } from './open-passage.ts';
import { openTunnel } from './open-tunnel.ts';

export interface EgressProxyOptions {
  /** What may be asked at all. */
  readonly rule: EgressRule;
  /** Of that, what this rollout may ask: `pypi.org`, `*.pythonhosted.org`, `host:8080`, `*`. */
  readonly allow: readonly string[];
  readonly quotas?: Partial<EgressQuotas> | undefined;
  /** Told of each request when it is over. */
  readonly onRequest?: ((entry: EgressLogEntry) => void) | undefined;
  /** Opens a connection to an address, which is never a name. */
  readonly dial?: (place: { readonly host: string; readonly port: number }) => Socket;
  readonly now?: () => number;
}

/** The only way out for one rollout: plain HTTP and tunnels, to where the rule and the list allow. */
export interface EgressProxy {
  /** The requests that are over, oldest first; no more than the quota of requests. */
  readonly log: readonly EgressLogEntry[];
  readonly usage: EgressMeter['usage'];
  /** Listens on this machine's loopback. The address holds the name and the password without which it answers nothing. */
  listen(): Promise<string>;
  /** Answers who comes through a socket that only the rollout can reach, without a password. */
  serve(server: Server): void;
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

const NAME = 'lachesis';
const UNAUTHORIZED: RequestRefusal = {
  verdict: 'unauthorized',
  reason: 'it came without the name and password of this rollout',
};
const STATUS: Readonly<Record<Exclude<EgressVerdict, 'allowed'>, string>> = {
  refused: '403 Forbidden',
  malformed: '400 Bad Request',
  unauthorized: '407 Proxy Authentication Required',
  'over-quota': '429 Too Many Requests',
  failed: '502 Bad Gateway',
};

/** Makes the proxy of one rollout; it answers nobody before `listen` or `serve`. */
export function createEgressProxy(options: EgressProxyOptions): EgressProxy {
  const { rule, onRequest, dial = connect, now = Date.now } = options;
  const meter = createEgressMeter(options.quotas);
  const password = randomBytes(18).toString('base64url');
  const credential = Buffer.from(`Basic ${Buffer.from(`${NAME}:${password}`).toString('base64')}`);
  const log: EgressLogEntry[] = [];
  const trusted = new WeakSet<Socket>();
  const sockets = new Set<Socket>();
  const doors: Server[] = [];

  const judge = createRequestJudge({ rule, allow: options.allow });

  const begin = (method: string): Passage =>
    openPassage({
      ...{ method, meter, now },
      onEnd: (entry) => {
        // Who is over the quota of requests could otherwise fill the memory with refusals.
        if (log.length < meter.quotas.requests) log.push(entry);
        onRequest?.(entry);
      },
    });

  const pass = async (
    incoming: IncomingMessage,
    refuse: (refusal: RequestRefusal) => void,
    work: (target: EgressTarget, passage: Passage, dialTarget: () => Socket) => Promise<void>,
  ): Promise<void> => {
    const passage = begin(incoming.method ?? '');
    const fail = (refusal: RequestRefusal): void => {
      refuse(refusal);
      passage.end(refusal.verdict, refusal.reason);
    };
    try {
      const isTrusted = trusted.has(incoming.socket) || isSame(incoming.headers['proxy-authorization'], credential);
      const target = isTrusted ? await judge(incoming, passage) : UNAUTHORIZED;
      if ('verdict' in target) return fail(target);
      passage.setAddress(target.address);
      await work(target, passage, () => dial({ host: target.address, port: portOf(target.url) }));
      if (passage.signal.aborted) throw passage.signal.reason;
      passage.end('allowed');
    } catch (error) {
      const { aborted: isOver, reason } = passage.signal;
      fail({ verdict: isOver ? 'over-quota' : 'failed', reason: describe(isOver ? reason : error) });
    }
  };

  const server = createHttpServer({ insecureHTTPParser: false, requireHostHeader: false, keepAliveTimeout: 30_000 });
  server.on('request', (incoming: IncomingMessage, reply: ServerResponse) => {
    const refuse = (refusal: RequestRefusal): void => {
      if (reply.headersSent) return void reply.destroy();
      // What stands behind a request that was not understood is not read.
      const [status, headers, text] = describeRefusal(refusal);
      reply.writeHead(Number(status.slice(0, 3)), headers).end(text);
    };
    void pass(incoming, refuse, (target, passage, dialTarget) =>
      forwardRequest({ incoming, reply, target, passage, dial: dialTarget }),
    );
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy());
    const refuse = (refusal: RequestRefusal): void => void client.end(writeRefusal(refusal));
    void pass(incoming, refuse, (_target, passage, dialTarget) =>
      openTunnel({ client, head, passage, dial: dialTarget }),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const refusal: RequestRefusal = {
      verdict: 'malformed',
      reason: `it is no request that can be read (${error.code ?? error.message})`,
    };
    const passage = begin('');
    socket.end(writeRefusal(refusal));
    passage.end(refusal.verdict, refusal.reason);
  });

  const take = (socket: Socket): void => {
    // Connections that ask nothing count too, at some more than may ask at once.
    if (sockets.size >= meter.quotas.concurrent * 2) return void socket.destroy();
    sockets.add(socket);
    // A client of a tunnel may be done with writing before it is done with reading.
    socket.allowHalfOpen = true;
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(meter.quotas.requestMs, () => socket.destroy());
    server.emit('connection', socket);
  };
  const open = (door: Server): void => {
    doors.push(door);
    door.unref();
  };

  return {
    log,
    usage: meter.usage,
    async listen() {
      const door = createServer(take);
      await new Promise<void>((resolve, reject) => {
        door.once('error', reject);
        door.listen(0, '127.0.0.1', resolve);
      });
      open(door);
      return `http://${NAME}:${password}@127.0.0.1:${(door.address() as AddressInfo).port}`;
    },
    serve(door) {
      door.on('connection', (socket) => {
        trusted.add(socket);
        take(socket);
      });
      open(door);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(doors.map((door) => new Promise<void>((resolve) => door.close(() => resolve()))));
    },
  };
}

function isSame(given: string | undefined, wanted: Buffer): boolean {
  const bytes = Buffer.from(given ?? '');
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** For people and models; the connection ends with it. */
function describeRefusal({
  verdict,
  reason,
}: RequestRefusal): [status: string, headers: Record<string, string>, text: string] {
  const text = `Lachesis did not pass this request on: ${reason}.\n`;
  const headers = {
    ...(verdict === 'unauthorized' ? { 'proxy-authenticate': `Basic realm="${NAME}"` } : {}),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  return [STATUS[verdict], headers, text];
}

function writeRefusal(refusal: RequestRefusal): string {
  const [status, headers, text] = describeRefusal(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', text].join('\r\n');
}
