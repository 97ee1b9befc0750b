import { createIdSource } from '@lachesis/protocol';
import type { CaptureReceipt, CaptureRecord, IdSource } from '@lachesis/protocol';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Store } from '../../database/store.ts';
import { BlobMissingError } from '../../errors/blob-errors.ts';
import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { StoreConflictError } from '../../errors/store-conflict-error.ts';
import { prepareRecord } from './capture-state.ts';
import { loadCaptureState } from './load-capture-state.ts';
import { planCaptures } from './plan-captures.ts';
import type { StoredBlob } from './turn-payload.ts';
import { listBlobs, writeCaptures } from './write-captures.ts';

/** Each failed try means that another recorder succeeded; so many in a row do not happen to one caller by chance. */
const MAX_TRIES = 20;

export interface RecordCapturesOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  /** At most a thousand; more in one commit keeps others waiting. */
  records: readonly CaptureRecord[];
  ids?: IdSource;
  /** The token that sends them, where one token may not go on with what another began. */
  owner?: string | null;
}

/**
 * Keeps what recorders said: all of it in one commit, on disk when it resolves. A record that is kept already is told as
 * a repeat and changes nothing, so whoever is not sure sends again.
 *
 * Die after the blobs: they have no row and the collector takes them. Die after the commit: everything is kept, and the
 * same records sent again are repeats.
 */
export async function recordCaptures(options: RecordCapturesOptions): Promise<CaptureReceipt['receipts']> {
  const { store, blobs, tenantId, records, ids = createIdSource(), owner = null } = options;
  const prepared = records.map((record) => prepareRecord(record));
  for (let tries = 1; ; tries += 1) {
    const state = await loadCaptureState({ store, tenantId, prepared });
    const plan = planCaptures({ state, prepared, ids, owner });
    if (plan.taken.length === 0) return plan.receipts;
    const written = new Map(listBlobs(state.trajectories.values()).map((blob) => [blob.digest, blob]));
    await putAll(blobs, written.values());
    try {
      await store.commit({ statements: writeCaptures({ store, tenantId, state, plan }) });
    } catch (error) {
      const isRace = StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error);
      if (isRace && tries < MAX_TRIES) continue;
      throw error;
    }
    await mendBlobs(blobs, written.values());
    return plan.receipts;
  }
}

async function putAll(blobs: BlobStore, written: Iterable<StoredBlob>): Promise<void> {
  for (const { digest, bytes } of written) await blobs.put(digest, bytes);
}

/** Somebody who forgot the last other reference between our put and our commit has removed the file: it is put again. */
async function mendBlobs(blobs: BlobStore, written: Iterable<StoredBlob>): Promise<void> {
  for (const { digest, bytes } of written) {
    try {
      await blobs.get(digest);
    } catch (error) {
      if (!BlobMissingError.isInstance(error)) throw error;
      await blobs.put(digest, bytes);
    }
  }
}
