import { DiskFullError } from '@lachesis/store/blobs';

/** Where jobs keep payloads: `FileBlobs` in a worker, anything in a test. */
export interface JobBlobs {
  /** Resolves when the bytes are on disk. The thread goes on with the next job while the disk works. */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  getSync(digest: string): Uint8Array;
}

/** Seconds spent per step. */
export type JobPhases = Partial<Record<'gunzip' | 'parse' | 'pack' | 'deflate' | 'hash' | 'write', number>>;

/** The payload could not be written for lack of room; nothing counts as stored. */
export interface DiskFull {
  kind: 'disk-full';
}

export const isDiskFull = (error: unknown): boolean =>
  DiskFullError.isInstance(error) || (error as NodeJS.ErrnoException | null)?.code === 'ENOSPC';
