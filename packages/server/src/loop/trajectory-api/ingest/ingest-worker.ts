import { parentPort, workerData } from 'node:worker_threads';
import { openFileBlobs } from '@lachesis/store/blobs';
import { createBufferCollector } from '../../../platform/memory/buffer-collector.ts';
import { releaseBytes } from '../../../platform/memory/release-bytes.ts';
import { runIngestJob } from './ingest-job.ts';
import type { JobAnswer, JobMessage, Jobs, JobKind, WorkerSettings } from './ingest-messages.ts';
import { runAssembleJob, runReadFramesJob } from './reply-jobs.ts';
import { runStorePackedJob } from './store-packed-job.ts';
import { createScanScratch, trimScratch } from './scan-scratch.ts';

const { blobDirectory, limits } = workerData as WorkerSettings;
const blobs = openFileBlobs({ directory: blobDirectory, isPrepared: true });
const scratch = createScanScratch();
const collector = createBufferCollector();
const port = parentPort;
if (port === null) throw new Error('ingest-worker runs as a worker thread; open it with createIngestPool');

port.on('message', (message: JobMessage) => void answer(message));

/** Several answers may be under way: what computes runs one after the other, and while the disk works the next one computes. */
async function answer(message: JobMessage): Promise<void> {
  const { id } = message;
  try {
    const result = await runJob(message);
    collector.count(measureGarbage(result));
    const transfer = 'chunks' in result ? result.chunks.map((chunk) => chunk.buffer) : [];
    port?.postMessage({ id, result } satisfies JobAnswer, transfer);
  } catch (error) {
    const { message: text, stack } = error instanceof Error ? error : new Error(String(error));
    port?.postMessage({
      id,
      failure: { message: text, ...(stack === undefined ? {} : { stack }) },
    } satisfies JobAnswer);
  }
}

function runJob(message: JobMessage): Jobs[JobKind]['result'] | Promise<Jobs[JobKind]['result']> {
  switch (message.kind) {
    case 'ingest': {
      const stored = runIngestJob({ ...message.request, limits, scratch }, blobs);
      // What comes after the first wait concerns the payloads only.
      releaseBytes(message.request.body);
      trimScratch(scratch);
      return stored;
    }
    case 'storePacked':
      return runStorePackedJob({ ...message.request, limits }, blobs);
    case 'assemble':
      return runAssembleJob(message.request, blobs);
    case 'readFrames':
      return runReadFramesJob(message.request, blobs);
  }
}

/** What is left to the collector: payloads that were read for a reply, and the pieces it was joined from. */
function measureGarbage(result: Jobs[JobKind]['result']): number {
  return 'chunks' in result ? 2 * result.contentLength : 0;
}
