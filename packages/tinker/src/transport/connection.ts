import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HttpAnswer } from './reply.ts';
import { ReplyParser } from './reply-parser.ts';
import type { ParsedReply } from './reply-parser.ts';

/** Where a server is. */
export interface Origin {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** What goes into the header `host`: the port where it is none of the scheme's own, brackets around numbers of IPv6. */
  readonly authority: string;
}

export interface ConnectionOptions {
  readonly origin: Origin;
  /** The answer is whole and the connection may carry another request. */
  readonly onFree: (connection: Connection) => void;
  readonly onClosed: (connection: Connection) => void;
}

/** A head, and a body that is sent behind it. */
export interface WireRequest {
  readonly head: string;
  readonly body: string | Uint8Array | undefined;
  /** The body is text of one byte a character, so that both are one write. */
  readonly isAscii: boolean;
}

/** One connection of HTTP/1.1, which carries one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #parser = new ReplyParser();
  #call: PromiseWithResolvers<HttpAnswer> | undefined;
  #isSecured: boolean;
  #hasLeft = false;
  /** How long it may wait for its next request, in milliseconds of `performance.now`. */
  freeUntilMs = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#isSecured = !options.origin.isSecure;
    this.#socket = openSocket(options.origin);
    this.#socket.on('secureConnect', () => (this.#isSecured = true));
    this.#socket.on('data', (bytes) => this.#read(bytes));
    this.#socket.on('end', () => {
      // An answer may end with the connection.
      this.#done(this.#parser.end());
      this.#leave();
    });
    this.#socket.on('error', (error) => this.close(error));
    this.#socket.on('close', () => this.#leave());
  }

  send(request: WireRequest): Promise<HttpAnswer> {
    if (this.#hasLeft) return Promise.reject(connectionReset('the connection was closed'));
    this.#call = Promise.withResolvers();
    this.#socket.ref();
    // Nothing is said to a server before it has shown who it is.
    if (this.#isSecured) this.#write(request);
    else this.#socket.once('secureConnect', () => this.#write(request));
    return this.#call.promise;
  }

  close(error?: Error): void {
    if (error !== undefined) this.#fail(error);
    this.#leave();
  }

  #write({ head, body, isAscii }: WireRequest): void {
    if (isAscii) {
      this.#socket.write(`${head}${(body as string | undefined) ?? ''}`, 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body!);
    this.#socket.uncork();
  }

  #read(bytes: Buffer): void {
    // Nobody asked: an answer to nothing must not be taken for the answer to the next request.
    if (this.#call === undefined) {
      this.#leave();
      return;
    }
    try {
      this.#done(this.#parser.push(bytes));
    } catch (error) {
      this.close(error as Error);
    }
  }

  #done(reply: ParsedReply | undefined): void {
    const call = this.#call;
    if (reply === undefined || call === undefined) return;
    this.#call = undefined;
    // An answer that came before its request was sent whole leaves the rest of the request on the line.
    if (reply.isReusable && this.#socket.writableLength === 0) {
      this.#socket.unref();
      this.freeUntilMs = performance.now() + idleMs(reply.answer);
      this.#options.onFree(this);
    } else {
      this.#leave();
    }
    call.resolve(reply.answer);
  }

  /** Out of use, at once: one that the other side has ended must not be given to the next request. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#fail(connectionReset(this.#parser.hasBegun ? 'the answer broke off' : 'the server closed the connection'));
    this.#socket.destroy();
    this.#options.onClosed(this);
  }

  #fail(error: Error): void {
    const call = this.#call;
    this.#call = undefined;
    call?.reject(error);
  }
}

/** Python servers close a connection that is idle for 5 s; one that we close first is never written to in vain. */
const IDLE_MS = 4_000;

/** A server or a proxy that waits for less says so. */
function idleMs({ headers }: HttpAnswer): number {
  const seconds = /\btimeout=(?<seconds>\d+)/i.exec(headers.get('keep-alive') ?? '')?.groups?.['seconds'];
  return seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, (Number(seconds) - 1) * 1_000);
}

const connectionReset = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET' });

function openSocket({ isSecure, host, port }: Origin): Socket {
  const options = { host, port, noDelay: true, keepAlive: true };
  if (!isSecure) return connectTcp(options);
  return connectTls({ ...options, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) });
}
