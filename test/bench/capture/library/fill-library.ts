import { recordCaptures } from '@lachesis/store';
import type { BlobStore, Store } from '@lachesis/store';
import type { CaptureRecord } from '@lachesis/protocol';

import { createCases, createRandom } from './cases.ts';
import type { CaseFacts } from './cases.ts';

/** Records of one call, as a drained outbox sends them. */
const BATCH = 1_000;

export const OWN_TENANT = 'own';
export const FOREIGN_TENANT = 'foreign';

/** Stores that many trajectories the way a recorder does, and returns what is in them. */
export async function fillLibrary(options: {
  store: Store;
  blobs: BlobStore;
  count: number;
  onProgress: (stored: number) => void;
}): Promise<{ facts: CaseFacts[]; records: number; seconds: number; cpuSeconds: number }> {
  const { store, blobs, count, onProgress } = options;
  const createCase = createCases(createRandom(6));
  const facts: CaseFacts[] = [];
  const waiting: Record<string, CaptureRecord[]> = { [OWN_TENANT]: [], [FOREIGN_TENANT]: [] };
  let records = 0;
  let spentMs = 0;
  let cpuMicroseconds = 0;
  const send = async (tenantId: string): Promise<void> => {
    const batch = waiting[tenantId]!;
    waiting[tenantId] = [];
    records += batch.length;
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    if (batch.length > 0) await recordCaptures({ store, blobs, tenantId, records: batch });
    spentMs += performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuMicroseconds += user + system;
  };
  for (let number = 0; number < count; number += 1) {
    const made = createCase(number);
    facts.push(made.facts);
    const tenantId = made.facts.isForeign ? FOREIGN_TENANT : OWN_TENANT;
    waiting[tenantId]!.push(...made.records);
    if (waiting[tenantId]!.length >= BATCH - 8) await send(tenantId);
    if ((number + 1) % 10_000 === 0) onProgress(number + 1);
  }
  await send(OWN_TENANT);
  await send(FOREIGN_TENANT);
  return { facts, records, seconds: spentMs / 1000, cpuSeconds: cpuMicroseconds / 1_000_000 };
}
