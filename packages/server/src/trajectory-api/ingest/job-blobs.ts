import { DiskFullError } from '@lachesis/store/blobs';
import type { BlobStore } from '@lachesis/store';

/** Where jobs keep payloads. The thread goes on with the next job while the disk works. */
export type JobBlobs = Pick<BlobStore, 'get' | 'put'>;

/** Seconds spent per step. */
export type JobPhases = Partial<Record<'gunzip' | 'parse' | 'pack' | 'deflate' | 'hash' | 'write', number>>;

/** The payload could not be written for lack of room; nothing counts as stored. */
export interface DiskFull {
  kind: 'disk-full';
}

export const isDiskFull = (error: unknown): boolean =>
  DiskFullError.isInstance(error) || (error as NodeJS.ErrnoException | null)?.code === 'ENOSPC';
