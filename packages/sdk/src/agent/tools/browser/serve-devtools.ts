import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ServeDevtoolsOptions {
  /** Told each message of the client, without the zero byte that ends it on a pipe. */
  readonly onMessage: (message: Buffer) => void;
}

/** A browser's pipe as a WebSocket, which is what the driver connects to. */
export interface DevtoolsServer {
  /** On this machine's loopback, with a path that cannot be guessed. It answers one client. */
  readonly url: string;
  /** What the browser wrote, in whatever pieces; a message ends with a zero byte. */
  push(bytes: Uint8Array): void;
  close(): Promise<void>;
}

/** Fixed by RFC 6455. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [CONTINUED, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];

export async function serveDevtools({ onMessage }: ServeDevtoolsOptions): Promise<DevtoolsServer> {
  const path = `/${randomBytes(18).toString('base64url')}`;
  let client: Socket | undefined;
  let pending: Uint8Array[] = [];
  const waiting: Buffer[] = [];
  const send = (message: Buffer): void => {
    if (client === undefined) waiting.push(message);
    else client.write(writeFrame(TEXT, message));
  };
  const server = createServer((_request, reply) => reply.writeHead(404).end());
  server.on('upgrade', (request, socket: Socket) => {
    const key = request.headers['sec-websocket-key'];
    if (request.url !== path || client !== undefined || key === undefined) return void socket.destroy();
    client = socket;
    const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.on('error', () => socket.destroy());
    readFrames(socket, onMessage);
    for (const message of waiting.splice(0)) send(message);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    push(bytes) {
      let rest = bytes;
      for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
        send(Buffer.concat([...pending, rest.subarray(0, end)]));
        pending = [];
        rest = rest.subarray(end + 1);
      }
      if (rest.length > 0) pending.push(rest);
    },
    close: () =>
      new Promise((resolve) => {
        client?.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readFrames(socket: Socket, onMessage: (message: Buffer) => void): void {
  let buffer: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => {
    buffer = buffer.length === 0 ? bytes : Buffer.concat([buffer, bytes]);
    for (let frame = readFrame(buffer); frame !== undefined; frame = readFrame(buffer)) {
      const { code, isLast, payload, end } = frame;
      buffer = buffer.subarray(end);
      if (code === CLOSE) return void socket.end(writeFrame(CLOSE, payload));
      if (code === PING) socket.write(writeFrame(PONG, payload));
      if (code !== TEXT && code !== CONTINUED) continue;
      parts.push(payload);
      if (!isLast) continue;
      onMessage(Buffer.concat(parts));
      parts = [];
    }
  });
}

/** The first frame of a client, if all of it is there. */
function readFrame(bytes: Buffer): { code: number; isLast: boolean; payload: Buffer; end: number } | undefined {
  const [first, second] = [bytes[0], bytes[1]];
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < at + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = at + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, end));
  for (let index = 0; index < payload.length; index += 1) payload[index]! ^= mask[index % 4]!;
  return { code: first & 0x0f, isLast: (first & 0x80) !== 0, payload, end };
}

function writeFrame(code: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | code;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
