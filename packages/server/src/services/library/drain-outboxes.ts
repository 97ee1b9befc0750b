import type { CaptureReceipt, CaptureRecord } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { drainOutbox, openOutboxFolder, type DrainReport } from '@lachesis/sdk/capture';
import { listOutboxes } from '@lachesis/store';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ingestRecords, type IngestParts } from './ingest-records.ts';
import { isRecordAtFault } from './is-record-at-fault.ts';

export interface DrainRecorderOptions {
  parts: IngestParts;
  home: string;
  tenantId: string;
  /** One recorder's records; everybody's when left out. */
  recorder?: string | undefined;
  /** The recorder is this process, and has redacted by the same rules. */
  isRedacted?: boolean;
  /** Told of what was kept, after the commit. */
  onKept?: (records: readonly CaptureRecord[], receipts: CaptureReceipt['receipts']) => void;
}

/** Brings what lies in one outbox into the store. What can never be kept is put beside it, with the reason. */
export async function drainOneOutbox(options: DrainRecorderOptions): Promise<DrainReport> {
  const { parts, home, tenantId, recorder, isRedacted = false, onKept } = options;
  const { directory, refused } = outboxPaths(home, tenantId);
  return await drainOutbox({
    folder: openOutboxFolder({ directory, recorder }),
    deliver: async (records) => {
      const receipts = await ingestRecords({ parts, tenantId, records, isRedacted });
      onKept?.(records, receipts);
    },
    isRefusal: isRecordAtFault,
    refusedFile: refused,
  });
}

export interface DrainOutboxesOptions {
  parts: IngestParts;
  home: string;
  now: () => number;
  /** How long a gateway must have been silent before somebody else takes its records; 0 does not ask. */
  gatewayQuietMs?: number;
}

/** A gateway drains its own outbox within a moment, and learns ids by it: one that lies longer has no gateway any more. */
const GATEWAY = /^gateway-/;
const GATEWAY_QUIET_MS = 10_000;

/** Brings in what all recorders of a home left on disk, also those that died. Each tenant has an outbox, since records do not say whose they are. */
export async function drainOutboxes(options: DrainOutboxesOptions): Promise<DrainReport> {
  const { parts, home, now, gatewayQuietMs = GATEWAY_QUIET_MS } = options;
  const total: DrainReport = { delivered: 0, refused: 0, unreadable: 0, torn: 0 };
  for (const { tenantId, directory, recorders } of await listOutboxes(home)) {
    for (const recorder of recorders) {
      const isBusy =
        gatewayQuietMs > 0 &&
        GATEWAY.test(recorder) &&
        !(await isQuiet(join(directory, recorder), now() - gatewayQuietMs));
      if (isBusy) continue;
      const report = await drainOneOutbox({ parts, home, tenantId, recorder });
      for (const name of ['delivered', 'refused', 'unreadable', 'torn'] as const) total[name] += report[name];
    }
  }
  return total;
}

/** Whether nothing in it has been written since. */
async function isQuiet(folder: string, since: number): Promise<boolean> {
  for (const name of await readdir(folder).catch(() => [])) {
    // Gone since the folder was read: somebody is at work.
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (file === undefined || file.mtimeMs > since) return false;
  }
  return true;
}
