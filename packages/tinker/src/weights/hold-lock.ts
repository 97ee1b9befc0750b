import { open, readFile, rm, stat, utimes } from 'node:fs/promises';

import { WeightsError } from './weights-error.ts';

export interface HoldLockOptions {
  file: string;
  now?: () => number;
  /** A lock that was not renewed for this long belongs to nobody: its process id may have gone to another program. */
  staleMs?: number;
}

/** Makes a lock file and keeps it fresh until the returned function is called. */
export async function holdLock({
  file,
  now = Date.now,
  staleMs = 30_000,
}: HoldLockOptions): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries += 1) {
    try {
      await using handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      break;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      if (tries >= 3 || (await isHeld({ file, now, staleMs }))) {
        const message = `Another download to this destination is under way (${file}).`;
        throw new WeightsError({ reason: 'busy', message });
      }
      // Two processes may get here at once, and both download: they write the same bytes, and one rename wins.
      await rm(file, { force: true });
    }
  }
  const renewal = setInterval(() => {
    const seconds = now() / 1000;
    utimes(file, seconds, seconds).catch(() => {
      // The folder was removed under us; the next write into it fails and says so.
    });
  }, staleMs / 6);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    await rm(file, { force: true });
  };
}

async function isHeld({ file, now, staleMs }: Required<HoldLockOptions>): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    // An empty file is a lock that is being written at this moment.
    return now() - mtimeMs < staleMs && (text === '' || isAlive(Number(text)));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and it is somebody else's.
    return isCode(error, 'EPERM');
  }
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
