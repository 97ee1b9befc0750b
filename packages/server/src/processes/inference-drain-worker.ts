import { createIdSource, redactRecord, type CaptureRecord } from '@lachesis/protocol';
import { outboxPaths } from '@lachesis/protocol/home';
import { drainOutbox, openOutboxFolder } from '@lachesis/sdk/capture';
import { openHome, recordCaptures } from '@lachesis/store';
import { parentPort, workerData } from 'node:worker_threads';
import type { DrainAnswer, DrainFolder, DrainRequest, DrainWorkerData } from './inference-drain-messages.ts';
import { openRedactor } from './inference-redactor.ts';

/* Brings records from outboxes into the store. In a thread of its own: a batch takes as long as a hundred replies. */

const { home, databaseUrl, ...redaction } = workerData as DrainWorkerData;
const { store, blobs } = await openHome({
  home,
  databaseUrl,
  // What breaks between two drains breaks the next one, which says so.
  onBackgroundError: () => undefined,
});
const ids = createIdSource();
const redactor = openRedactor(redaction, process.env);

async function drainFolder(folder: DrainFolder, answer: DrainAnswer): Promise<void> {
  const { tenantId, recorder } = folder;
  const keep = async (given: readonly CaptureRecord[]): Promise<void> => {
    // What an application wrote was redacted by its rules; ours may know more.
    const records = recorder === undefined ? given.map((record) => redactRecord(record, redactor).value) : given;
    const receipts = await recordCaptures({ store, blobs, tenantId, records, ids });
    answer.kept += records.length;
    for (const [index, { trajectory }] of records.entries()) {
      const id = receipts[index]?.trajectory_id;
      if (trajectory !== null && id !== undefined) answer.trajectories.push([tenantId, trajectory, id]);
    }
  };
  const { directory, refused } = outboxPaths(home, tenantId);
  const report = await drainOutbox({
    folder: openOutboxFolder({ directory, recorder }),
    deliver: keep,
    isRefusal: isRecordAtFault,
    refusedFile: refused,
  });
  answer.refused += report.refused;
  answer.unreadable += report.unreadable;
  answer.torn += report.torn;
}

/** A store that is away takes them later; a record that it can never take must not hold up the others. */
function isRecordAtFault(error: unknown): boolean {
  const { name, retryable } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return retryable !== true && name !== 'StoreClosedError' && name !== 'DiskFullError' && name !== 'StaleWriteError';
}

async function answerRequest({ id, folders }: DrainRequest): Promise<DrainAnswer> {
  const answer: DrainAnswer = { id, kept: 0, refused: 0, unreadable: 0, torn: 0, trajectories: [], error: null };
  try {
    for (const folder of folders) await drainFolder(folder, answer);
  } catch (error) {
    answer.error = error instanceof Error ? error.message : String(error);
  }
  return answer;
}

parentPort?.on('message', (request: DrainRequest | 'close') => {
  if (request === 'close') {
    // The channel is closed last: with it the thread ends.
    void store.close().finally(() => parentPort?.close());
    return;
  }
  // It never rejects, and the parent asks one thing at a time.
  void answerRequest(request).then((answer) => parentPort?.postMessage(answer));
});
