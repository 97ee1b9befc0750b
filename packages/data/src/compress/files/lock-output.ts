import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CompressionError } from '../compression-error.ts';

export interface LockOutputOptions {
  readonly path: string;
  readonly pid?: number;
  readonly isAlive?: (pid: number) => boolean;
}

/** Holds an output for one process. A lock whose process has ended is taken over. */
export async function lockOutput({
  path,
  pid = process.pid,
  isAlive = isProcessAlive,
}: LockOutputOptions): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true });
  // Two tries: the second behind the removal of a lock that nobody holds.
  for (let isSecond = false; ; isSecond = true) {
    try {
      const handle = await open(path, 'wx');
      await handle.writeFile(String(pid));
      await handle.close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
      if (isSecond || (Number.isInteger(holder) && holder > 0 && holder !== pid && isAlive(holder))) {
        throw new CompressionError({
          kind: 'in-use',
          reason: `Process ${holder} writes to this output.`,
          hint: `Wait for it, or name another output. If no such compression runs, delete ${path}.`,
          cause,
        });
      }
      await rm(path, { force: true });
    }
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
