import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Processes that know of a home, by their arguments or by LACHESIS_HOME; not this one. */
export async function listProcesses(home: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const known = await Promise.all(
    pids
      .filter((pid) => pid !== process.pid)
      .map(async (pid) => {
        const read = (name: string): Promise<string> =>
          // It ended while we looked, or belongs to somebody else.
          readFile(path.join('/proc', String(pid), name), 'utf8').catch(() => '');
        return `${await read('cmdline')}\u0000${await read('environ')}`.includes(home) ? [pid] : [];
      }),
  );
  return known.flat();
}

/** Ends them. Engines and servers go on when the window that started them is closed; those of a page that failed are still there. */
export async function endProcesses(home: string): Promise<void> {
  for (const pid of await listProcesses(home)) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended meanwhile.
    }
  }
}
