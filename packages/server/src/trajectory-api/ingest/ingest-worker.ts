import { workerData } from 'node:worker_threads';
import { openLibraryBlobs } from '@lachesis/store/blobs';
import { createBufferCollector } from '../../http/memory/buffer-collector.ts';
import { releaseBytes } from '../../http/memory/release-bytes.ts';
import { answerJobs } from '../../http/threads/answer-jobs.ts';
import type { JobMessage } from '../../http/threads/job-messages.ts';
import { runIngestJob } from './ingest-job.ts';
import type { Jobs, WorkerSettings } from './ingest-messages.ts';
import { runAssembleJob, runReadFramesJob } from './reply-jobs.ts';
import { runStorePackedJob } from './store-packed-job.ts';
import { createScanScratch, trimScratch } from './scan/scan-scratch.ts';

const { blobPlace, blobCache, libraryId, limits } = workerData as WorkerSettings;
const blobs = await openLibraryBlobs({ place: blobPlace, cache: blobCache, libraryId, isPrepared: true });
const scratch = createScanScratch();
const collector = createBufferCollector();

answerJobs<Jobs>({
  run: async (message) => {
    const result = await runJob(message);
    collector.count(measureGarbage(result));
    return result;
  },
  transferOf: (result) => ('chunks' in result ? result.chunks.map((chunk) => chunk.buffer) : []),
});

type JobResult = Jobs[keyof Jobs]['result'];

function runJob(message: JobMessage<Jobs>): JobResult | Promise<JobResult> {
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
function measureGarbage(result: JobResult): number {
  return 'chunks' in result ? 2 * result.contentLength : 0;
}
