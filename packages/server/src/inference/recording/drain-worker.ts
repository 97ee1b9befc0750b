import { createIdSource } from '@lachesis/protocol';
import { openHome } from '@lachesis/store';
import { parentPort, workerData } from 'node:worker_threads';
import type { DrainAnswer, DrainFolder, DrainRequest, DrainWorkerData } from './drain-messages.ts';
import { drainOneOutbox } from '../../services/library/drain-outboxes.ts';
import { openCallRedactor } from './redactor.ts';

/* Brings records from outboxes into the store. In a thread of its own: a batch takes as long as a hundred replies. */

const { home, databaseUrl, ...redaction } = workerData as DrainWorkerData;
const { store, blobs } = await openHome({
  home,
  databaseUrl,
  // What breaks between two drains breaks the next one, which says so.
  onBackgroundError: () => undefined,
});
const parts = { store, blobs, ids: createIdSource(), redactor: openCallRedactor(redaction, process.env) };

async function drainFolder({ tenantId, recorder }: DrainFolder, answer: DrainAnswer): Promise<void> {
  const { refused, unreadable, torn } = await drainOneOutbox({
    ...{ parts, home, tenantId, recorder },
    // A named recorder is the gateway that started this thread.
    isRedacted: recorder !== undefined,
    onKept(records, receipts) {
      answer.kept += records.length;
      for (const [index, { trajectory }] of records.entries()) {
        const id = receipts[index]?.trajectory_id;
        if (trajectory !== null && id !== undefined) answer.trajectories.push([tenantId, trajectory, id]);
      }
    },
  });
  answer.refused += refused;
  answer.unreadable += unreadable;
  answer.torn += torn;
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
