import {
  redactRecord,
  type CaptureReceipt,
  type CaptureRecord,
  type IdSource,
  type Redactor,
} from '@lachesis/protocol';
import { attachWaiting, recordCaptures, type BlobStore, type Store } from '@lachesis/store';

/** What every way into the library works with. */
export interface IngestParts {
  store: Store;
  blobs: BlobStore;
  ids: IdSource;
  redactor: Redactor;
}

export interface IngestOptions {
  parts: IngestParts;
  tenantId: string;
  records: readonly CaptureRecord[];
  /** Only for records that this process wrote itself, by the same rules: they are not read through twice. */
  isRedacted?: boolean;
  /** The token whose trajectories they may go on with; null for all. */
  owner?: string | null;
}

/**
 * The only way by which records enter the store. An application redacts by its own rules before it writes or sends; those
 * of this home may know more. Resolves after the commit, and the same records may come again.
 */
export async function ingestRecords(options: IngestOptions): Promise<CaptureReceipt['receipts']> {
  const { parts, tenantId, records, isRedacted = false, owner } = options;
  const { redactor, ...kept } = parts;
  const clean = isRedacted ? [...records] : records.map((record) => redactRecord(record, redactor).value);
  const receipts = await recordCaptures({
    ...{ ...kept, tenantId, records: clean },
    ...(owner === undefined ? {} : { owner }),
  });
  const names = clean.flatMap((record, index) => listNames(record, receipts[index]?.trajectory_id));
  await attachWaiting({ store: kept.store, tenantId, names });
  return receipts;
}

/** Everything that feedback may have called a record by before it was here. */
function listNames(record: CaptureRecord, trajectoryId: string | undefined): string[] {
  const { record_id: turnId, trajectory, trajectory_id: told } = record;
  const response = record.kind === 'call' ? record.response_id : undefined;
  return [turnId, trajectory, told, response, trajectoryId].flatMap((name) => name ?? []);
}
