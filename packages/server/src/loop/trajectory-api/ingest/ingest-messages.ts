import type { AssembledReply } from '../reply/assemble-batch.ts';
import type { IngestLimits } from './ingest-limits.ts';
import type { PooledIngest } from './ingest-job.ts';
import type { AssembleRequest, BrokenPayloads } from './reply-jobs.ts';
import type { PooledPacked } from './store-packed-job.ts';

/** What a worker is told when it starts. */
export interface WorkerSettings {
  blobDirectory: string;
  limits: IngestLimits;
}

/** What each job takes and gives; buffers are transferred in both directions. */
export interface Jobs {
  ingest: {
    request: { body: Uint8Array<ArrayBuffer>; encoding: 'identity' | 'gzip'; shape: 'one' | 'list' };
    result: PooledIngest;
  };
  storePacked: { request: { body: Uint8Array<ArrayBuffer> }; result: PooledPacked };
  assemble: { request: AssembleRequest; result: AssembledReply | BrokenPayloads };
  readFrames: { request: { digests: readonly string[] }; result: AssembledReply | BrokenPayloads };
}

export type JobKind = keyof Jobs;

/** A job without its number. */
export type JobOrder = { [Kind in JobKind]: { kind: Kind; request: Jobs[Kind]['request'] } }[JobKind];

export type JobMessage = JobOrder & { id: number };

/** One answer per message, in any order. */
export type JobAnswer = { id: number } & (
  | { result: Jobs[JobKind]['result'] }
  | { failure: { message: string; stack?: string } }
);
