import { execFile } from 'node:child_process';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const BALLAST = 'ballast';
const CHUNK_BYTES = 64 * 1024;

/** A file system that is soon full. */
export interface SmallDisk {
  readonly directory: string;
  /** Takes all the space but `leaveBytes`, for as long as `free` is not called. */
  fill(leaveBytes: number): Promise<void>;
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a tmpfs over an empty folder; needs root. */
export async function mountSmallDisk(options: { directory: string; megabytes: number }): Promise<SmallDisk> {
  const { directory, megabytes } = options;
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'lachesis-small-disk', directory]);
  const path = join(directory, BALLAST);
  return {
    directory,
    async fill(leaveBytes) {
      const file = await open(path, 'a');
      try {
        const chunk = Buffer.alloc(CHUNK_BYTES, 1);
        for (;;) {
          const { bavail, bsize } = await statfs(directory);
          const bytes = Math.min(CHUNK_BYTES, bavail * bsize - leaveBytes);
          if (bytes <= 0) return;
          await file.write(chunk.subarray(0, bytes));
        }
      } catch (error) {
        // Somebody else took the last bytes: it is full.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(path, { force: true }),
    async unmount() {
      // Lazily: a process that ends at this moment must not keep it.
      await run('umount', ['-l', directory]);
    },
  };
}
