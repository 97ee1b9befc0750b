import {
  appendAudit,
  moveAuditAnchor,
  openAuditKey,
  StoreClosedError,
  type AuditEntry,
  type AuditKey,
  type Store,
} from '@lachesis/store';
import type { Logger } from 'pino';
import type { AuditSink } from './audit-sink.ts';
import { CallCounter } from './count-calls.ts';
import { describeCall } from './describe-call.ts';

export interface AuditLog extends AuditSink {
  readonly key: AuditKey;
  /** Writes down what no call was: the start of a server, lines that were let go of. */
  record(entry: Pick<AuditEntry, 'action'> & Partial<AuditEntry>): void;
  /** Writes what is counted and waits until it is on disk, or for a while. May be called twice. */
  close(): Promise<void>;
}

export interface OpenAuditLogOptions {
  store: Store;
  home: string;
  /** The name of the server. */
  by: string;
  log: Logger;
  now?: () => number;
  /** How long calls that are alike are counted together. */
  countMs?: number;
}

const COUNT_MS = 60_000;
const RETRY_MS = 1_000;
/** Lines that wait while the database is away; what comes beyond them is counted as lost. */
const MOST_WAITING = 10_000;
const CLOSE_MS = 3_000;

/**
 * Writes the audit log of a server. A change is on its way to the disk as soon as its handler has ended, together with those
 * that ended meanwhile; what is counted follows within a minute. If we die, that much is missing, and nothing that is there is
 * wrong.
 */
export async function openAuditLog(options: OpenAuditLogOptions): Promise<AuditLog> {
  const { store, home, by, log, now = Date.now, countMs = COUNT_MS } = options;
  const key = await openAuditKey(home);
  const counter = new CallCounter();
  let waiting: AuditEntry[] = [];
  let lost = 0;
  let writing: Promise<void> | undefined;
  let isClosed = false;
  let isWarned = false;

  const entry = (given: Pick<AuditEntry, 'action'> & Partial<AuditEntry>): AuditEntry => ({
    ...{ at: now(), tenantId: 'local', tokenId: null, from: 'process', by, things: {}, result: 'ok', count: 1 },
    ...given,
  });

  function push(entries: readonly AuditEntry[]): void {
    const room = Math.max(0, MOST_WAITING - waiting.length);
    waiting.push(...entries.slice(0, room));
    lost += Math.max(0, entries.length - room);
    if (waiting.length > 0) writing ??= write();
  }

  /** Writes until nothing waits. One at a time: the order of lines is the order of what happened here. */
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const entries = waiting;
        waiting = [];
        if (lost > 0) entries.push(entry({ action: 'audit lost', result: 'unavailable', count: lost }));
        try {
          const head = await appendAudit({ store, key, entries });
          lost = 0;
          await remember(head);
        } catch (error) {
          waiting = [...entries.filter(({ action }) => action !== 'audit lost'), ...waiting];
          log.warn({ err: error, lines: waiting.length }, 'the audit log could not be written; it is tried again');
          // Nobody will ever take them: the server could not start, or has let go of its store.
          if (isClosed || StoreClosedError.isInstance(error)) return;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
        }
      }
    } finally {
      writing = undefined;
    }
  }

  async function remember(head: Awaited<ReturnType<typeof appendAudit>>): Promise<void> {
    if (head === undefined) return;
    const isMoved = await moveAuditAnchor({ home, store, head }).catch((error: unknown) => {
      log.warn({ err: error }, 'the newest line of the audit log could not be remembered in the home');
      return true;
    });
    if (isMoved || isWarned) return;
    isWarned = true;
    log.error('lines of the audit log are gone or were exchanged; `lachesis audit verify` names the first');
  }

  const timer = setInterval(() => push(counter.take()), countMs);
  timer.unref();
  push([entry({ action: 'server start' })]);

  return {
    key,
    record: (given) => push([entry(given)]),
    observe(call) {
      if (isClosed) return;
      const described = describeCall(call, { by, at: now() });
      if (described === undefined) return;
      // The first refusal of its kind is seen at once; thousands like it are one line more.
      const isLine = !described.isCounted || (counter.count(described.entry) === 1 && described.entry.result !== 'ok');
      if (isLine) push([described.entry]);
    },
    async close() {
      if (!isClosed) {
        clearInterval(timer);
        push([...counter.take(), entry({ action: 'server stop' })]);
        isClosed = true;
      }
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([writing ?? Promise.resolve(), late]);
    },
  };
}
