import type { AssembledReply } from '../reply/assemble-batch.ts';
import type { IngestLimits } from './ingest-limits.ts';
import type { PooledIngest } from './ingest-job.ts';
import type { AssembleRequest, BrokenPayloads, FramesRequest } from './reply-jobs.ts';
import type { PooledPacked } from './store-packed-job.ts';

/** What a worker is told when it starts. */
export interface WorkerSettings {
  blobPlace: string;
  /** A folder for payloads that were fetched from afar. */
  blobCache: string | undefined;
  libraryId: string;
  limits: IngestLimits;
}

/** The jobs of the pool. */
export type Jobs = {
  ingest: {
    request: { body: Uint8Array<ArrayBuffer>; encoding: 'identity' | 'gzip'; shape: 'one' | 'list' };
    result: PooledIngest;
  };
  storePacked: { request: { body: Uint8Array<ArrayBuffer> }; result: PooledPacked };
  assemble: { request: AssembleRequest; result: AssembledReply | BrokenPayloads };
  readFrames: { request: FramesRequest; result: AssembledReply | BrokenPayloads };
};
