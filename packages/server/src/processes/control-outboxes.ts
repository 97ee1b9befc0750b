import type { CaptureRecord } from '@lachesis/protocol';
import { drainOutbox, openOutboxFolder } from '@lachesis/sdk/capture';
import { listOutboxes } from '@lachesis/store';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface DrainOutboxesOptions {
  home: string;
  /** Resolves when the records are committed. */
  deliver(tenantId: string, records: readonly CaptureRecord[]): Promise<void>;
  now: () => number;
}

export interface OutboxesReport {
  delivered: number;
  refused: number;
  unreadable: number;
  torn: number;
}

/** A gateway drains its own outbox within a moment, and learns ids by it: one that lies longer has no gateway any more. */
const GATEWAY = /^gateway-/;
const GATEWAY_QUIET_MS = 10_000;

/** Brings what recorders left on disk into the store. Each tenant has a folder, since records do not say whose they are. */
export async function drainOutboxes({ home, deliver, now }: DrainOutboxesOptions): Promise<OutboxesReport> {
  const total: OutboxesReport = { delivered: 0, refused: 0, unreadable: 0, torn: 0 };
  for (const { tenantId, directory, refused, recorders } of await listOutboxes(home)) {
    for (const recorder of recorders) {
      if (GATEWAY.test(recorder) && !(await isQuiet(join(directory, recorder), now()))) continue;
      const report = await drainOutbox({
        folder: openOutboxFolder({ directory, recorder }),
        deliver: (records) => deliver(tenantId, records),
        isRefusal: isRecordAtFault,
        refusedFile: refused,
      });
      for (const name of ['delivered', 'refused', 'unreadable', 'torn'] as const) total[name] += report[name];
    }
  }
  return total;
}

/** Whether nothing in it has been written for a while. */
async function isQuiet(folder: string, now: number): Promise<boolean> {
  for (const name of await readdir(folder).catch(() => [])) {
    // Gone since the folder was read: somebody is at work.
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (file === undefined || now - file.mtimeMs < GATEWAY_QUIET_MS) return false;
  }
  return true;
}

/** A store that is away takes them later; a record that it can never take must not hold up the others. */
function isRecordAtFault(error: unknown): boolean {
  const { name, retryable } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return retryable !== true && name !== 'StoreClosedError' && name !== 'DiskFullError' && name !== 'StaleWriteError';
}
