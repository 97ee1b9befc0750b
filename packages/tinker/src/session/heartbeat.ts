import { Worker } from 'node:worker_threads';
import type { OnTinkerEvent } from '../events.ts';
import type { HeartbeatCommand, HeartbeatReport, HeartbeatSetup } from './heartbeat-messages.ts';

const WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './heartbeat-worker.ts' : './heartbeat-worker.js',
  import.meta.url,
);

/** A session that is silent for 300 s loses its models on SkyRL; 10 s leaves room for many lost beats. */
export const HEARTBEAT_INTERVAL_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 10_000;
const RESTART_MS = 1_000;

export interface HeartbeatOptions {
  url: string;
  headers: Record<string, string>;
  sessionId: string;
  intervalMs?: number | undefined;
  onEvent: OnTinkerEvent;
  /** The server has ended the session. */
  onGone: (sessionId: string) => void;
}

/** Keeps sessions alive from a thread of its own. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #sessionIds = new Set<string>();
  #worker: Worker | undefined;
  #headers: Record<string, string>;
  #isStopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#headers = options.headers;
    this.#sessionIds.add(options.sessionId);
    this.#start();
  }

  /** Also keeps another session alive, such as one taken over from a process that died. */
  add(sessionId: string): void {
    this.#sessionIds.add(sessionId);
    this.#send({ kind: 'add', sessionId });
  }

  /** A renewed credential. */
  setHeaders(headers: Record<string, string>): void {
    this.#headers = headers;
    this.#send({ kind: 'headers', headers });
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#send({ kind: 'stop' });
    await this.#worker?.terminate();
  }

  #send(command: HeartbeatCommand): void {
    this.#worker?.postMessage(command);
  }

  #start(): void {
    const { url, intervalMs = HEARTBEAT_INTERVAL_MS } = this.#options;
    const workerData: HeartbeatSetup = {
      url,
      headers: this.#headers,
      sessionIds: [...this.#sessionIds],
      intervalMs,
      timeoutMs: HEARTBEAT_TIMEOUT_MS,
    };
    // Flags of the parent, such as --input-type, need not suit a worker; it imports nothing that asks for any.
    const worker = new Worker(WORKER_URL, { workerData, execArgv: [] });
    this.#worker = worker;
    // A program that has nothing else to do may end without closing its session.
    worker.unref();
    worker.on('message', (report: HeartbeatReport) => this.#read(report));
    worker.on('error', (error: Error) => this.#missed(error.message));
    worker.on('exit', () => {
      if (this.#isStopped || this.#worker !== worker) return;
      this.#worker = undefined;
      // A thread that dies at once must not be started in a hot loop.
      setTimeout(() => {
        if (!this.#isStopped) this.#start();
      }, RESTART_MS).unref();
    });
  }

  #read(report: HeartbeatReport): void {
    if (this.#isStopped) return;
    if (report.kind === 'gone') {
      this.#sessionIds.delete(report.sessionId);
      this.#options.onEvent({ type: 'session-ended', sessionId: report.sessionId });
      this.#options.onGone(report.sessionId);
    } else if (report.kind === 'missed') {
      const { sessionId, silentMs, reason } = report;
      this.#options.onEvent({ type: 'heartbeat-missed', sessionId, silentMs, reason });
    }
  }

  #missed(reason: string): void {
    for (const sessionId of this.#sessionIds) {
      this.#options.onEvent({ type: 'heartbeat-missed', sessionId, silentMs: 0, reason });
    }
  }
}
