import { fork, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { SettingError } from '../http/settings/setting-error.ts';

export type ParentMessage = { type: 'connection'; id: number } | { type: 'stop' };
export type ChildMessage =
  | { type: 'ready' }
  /** The connection is the child's now. It says so before it reads the first byte. */
  | { type: 'taken'; id: number }
  | { type: 'refused'; message: string; isFinal: boolean };

export interface SuperviseSocketOptions {
  host: string;
  port: number;
  /** The module that serves; it is started again when it dies. */
  childModule: string;
  childArguments?: readonly string[];
  env: Record<string, string>;
  /** It moves nothing but buffers, see `http/memory`: a small heap finds the dead ones sooner. Who reads long JSON is five times slower in it. */
  hasSmallHeap?: boolean;
  /** The pause after the first child that could not start; it doubles with each. */
  retryMs?: number;
  /** How long the child may take to say that a connection is its own. */
  takenMs?: number;
  /** How long a connection waits for a child; without it, as long as it takes. Where other servers stand by, they are the shorter way. */
  holdMs?: number;
  /** Told when the child died and will be started again. */
  onRestart?: (death: { code: number | null; signal: string | null }) => void;
}

/** A running server: the parent holds the socket, and starts the child that serves again when it dies. */
export interface SocketSupervisor {
  readonly address: AddressInfo;
  /** The process that serves now, if one is up: for tests that kill it. */
  readonly childPid: number | undefined;
  /** Settles when the supervisor has stopped: rejects when the child can never start. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Connections that may wait for a child; more than a crash loop can usefully answer. */
const MAX_HELD = 10_000;
/** So many children may fail before the first one has served; after that the fault is not in how we were started. */
const MAX_FAILED_STARTS = 5;
const MAX_RESTART_MS = 4_000;
const STOP_MS = 15_000;
const CHANNEL_POLL_MS = 5;
/** A child says at once that it has a connection. One that it never got, as when it is out of descriptors, must not hang for ever. */
const TAKEN_MS = 10_000;

/**
 * glibc keeps what a thread frees in an arena of that thread. A server whose threads handle half a megabyte at a time
 * then holds some 90 MB it does not use; these settings give large blocks back at once. Elsewhere they mean nothing.
 */
const LEAN_ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Small collections that come often make young objects old, which then wait for a large one: that comes when they are two fifths of what lives. */
const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=40'];

/**
 * Owns the listening socket and little else, so that it has no reason to die. Each accepted connection goes to the
 * child; while there is none, connections wait here instead of being refused, and an unmodified client that retries for
 * two seconds never notices a crash.
 */
export async function superviseSocket(options: SuperviseSocketOptions): Promise<SocketSupervisor> {
  const server = createServer({ pauseOnConnect: true, noDelay: true });
  const supervisor = new Supervisor(server, options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  await supervisor.start();
  return supervisor;
}

class Supervisor implements SocketSupervisor {
  readonly #server: Server;
  readonly #options: SuperviseSocketOptions;
  /** Connections that wait for a child. */
  readonly #held = new Set<Socket>();
  /** Connections on their way to a child, open here too until it has taken them. */
  readonly #offered = new Map<number, { child: ChildProcess; socket: Socket; timer: NodeJS.Timeout }>();
  #offers = 0;
  readonly #end = Promise.withResolvers<void>();
  #child: ChildProcess | null = null;
  #isReady = false;
  #isStopping = false;
  #hasServed = false;
  #failedStarts = 0;
  #refusal: string | null = null;
  #firstStart: PromiseWithResolvers<void> | null = null;

  constructor(server: Server, options: SuperviseSocketOptions) {
    this.#server = server;
    this.#options = options;
    server.on('connection', (socket) => this.#hand(socket));
    // Who waits for the first start is told there; nobody may be waiting here yet.
    this.#end.promise.catch(() => undefined);
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  get childPid(): number | undefined {
    return this.#child?.pid;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  start(): Promise<void> {
    this.#firstStart = Promise.withResolvers<void>();
    this.#spawn();
    return this.#firstStart.promise;
  }

  async stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#server.close();
      for (const socket of this.#held) socket.destroy();
      const child = this.#child;
      if (child === null) {
        this.#end.resolve();
      } else {
        child.send({ type: 'stop' } satisfies ParentMessage, (error) => {
          if (error !== null) child.kill('SIGTERM');
        });
        setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
      }
    }
    await this.#end.promise;
  }

  #spawn(): void {
    if (this.#isStopping) return;
    const { childModule, childArguments = [], env, hasSmallHeap = false } = this.#options;
    const child = fork(childModule, [...childArguments], {
      env: { ...LEAN_ALLOCATOR, ...process.env, ...env },
      execArgv: [...process.execArgv, '--expose-gc', ...(hasSmallHeap ? SMALL_HEAP : ['--max-semi-space-size=16'])],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'json',
    });
    this.#child = child;
    child.on('message', (message) => this.#onMessage(message as ChildMessage));
    child.once('error', (error) => this.#fail(error));
    child.once('exit', (code, signal) => this.#onExit(child, code, signal));
  }

  #onMessage(message: ChildMessage): void {
    if (message.type === 'taken') {
      this.#letGo(message.id);
      return;
    }
    if (message.type === 'refused') {
      this.#refusal = message.message;
      if (message.isFinal) this.#fail(new SettingError(message.message));
      return;
    }
    this.#isReady = true;
    this.#hasServed = true;
    this.#failedStarts = 0;
    this.#firstStart?.resolve();
    for (const socket of this.#held) this.#hand(socket);
  }

  #onExit(child: ChildProcess, code: number | null, signal: string | null): void {
    if (this.#child !== child) return;
    this.#child = null;
    const wasReady = this.#isReady;
    this.#isReady = false;
    this.#withdrawOffers(child);
    if (this.#isStopping) {
      this.#end.resolve();
      return;
    }
    if (!wasReady) this.#failedStarts += 1;
    if (!this.#hasServed && this.#failedStarts >= MAX_FAILED_STARTS) {
      const ended = `the server process ended ${this.#failedStarts} times before it could serve`;
      this.#fail(new Error(this.#refusal ?? ended));
      return;
    }
    const { onRestart, retryMs = 250 } = this.#options;
    onRestart?.({ code, signal });
    setTimeout(() => this.#spawn(), wasReady ? 0 : Math.min(retryMs * 2 ** this.#failedStarts, MAX_RESTART_MS));
  }

  /** Takes back what a dead child never took, once all that it said before its end has been heard. */
  #withdrawOffers(dead: ChildProcess): void {
    // There is no event for this: a channel with a handle under way closes without 'disconnect'.
    if (dead.connected) {
      setTimeout(() => this.#withdrawOffers(dead), CHANNEL_POLL_MS);
      return;
    }
    for (const [id, { child, socket, timer }] of this.#offered) {
      if (child !== dead) continue;
      clearTimeout(timer);
      this.#offered.delete(id);
      this.#hand(socket);
    }
  }

  #fail(error: Error): void {
    this.#isStopping = true;
    this.#server.close();
    for (const socket of this.#held) socket.destroy();
    this.#child?.kill('SIGKILL');
    this.#firstStart?.reject(error);
    this.#end.reject(error);
  }

  #hand(socket: Socket): void {
    const child = this.#child;
    if (child === null || !this.#isReady || !child.connected) {
      this.#hold(socket);
      return;
    }
    this.#held.delete(socket);
    const id = ++this.#offers;
    const timer = setTimeout(() => this.#letGo(id), this.#options.takenMs ?? TAKEN_MS);
    timer.unref();
    this.#offered.set(id, { child, socket, timer });
    // A send that fails means that the child is gone; what it was offered is taken back at its end.
    child.send({ type: 'connection', id } satisfies ParentMessage, socket, { keepOpen: true }, () => undefined);
  }

  /** Closes our end alone: a child that has the connection goes on with it, and where nobody has it the client is told. */
  #letGo(id: number): void {
    const offer = this.#offered.get(id);
    if (offer === undefined) return;
    clearTimeout(offer.timer);
    offer.socket.destroy();
    this.#offered.delete(id);
  }

  #hold(socket: Socket): void {
    if (this.#isStopping || this.#held.size >= MAX_HELD || socket.destroyed) {
      socket.destroy();
      return;
    }
    this.#held.add(socket);
    const { holdMs } = this.#options;
    const timer =
      holdMs === undefined ? undefined : setTimeout(() => this.#held.has(socket) && socket.destroy(), holdMs);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#held.delete(socket);
    });
    socket.on('error', () => this.#held.delete(socket));
  }
}
