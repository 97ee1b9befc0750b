import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import type { WorkState } from '../schema/work.ts';

/** Which job of whom, and where it is kept. */
export interface JobRef {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  name: string;
}

export interface WorkJob {
  name: string;
  settings: unknown;
  inputDigest: string;
  itemCount: number;
  createdAt: number;
}

/** A job and how far it is. */
export interface WorkJobSummary extends Pick<WorkJob, 'createdAt' | 'itemCount' | 'name'> {
  counts: WorkCounts;
  /** A lease of one of its items has not run out. */
  isWorkedOn: boolean;
  /** When items or settings last came to it. */
  changedAt: number;
}

/** An item in the hands of a worker. */
export interface LeasedWork {
  index: number;
  attempt: number;
  conversation: number;
  /** Of its lease: what is written about the item carries both. */
  holder: string;
  epoch: number;
  cost: number;
  input: unknown;
}

/** One item of a job: what went in, how far it is, and what came out. */
export interface WorkItem {
  index: number;
  state: WorkState;
  attempt: number;
  cost: number;
  reason: string | null;
  input: unknown;
  /** Null before the end. */
  result: unknown;
}

/** Items of a job by state, and what they cost together. */
export interface WorkCounts extends Record<WorkState, number> {
  cost: number;
}
