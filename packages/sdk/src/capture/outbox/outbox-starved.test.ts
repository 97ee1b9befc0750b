import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('outbox-starved.fixture.ts', import.meta.url));

test.skipIf(process.platform === 'win32')('an outbox that was opened records when no descriptor is left', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'lachesis-starved-'));
  const record = async (how: string): Promise<number> => {
    const script = 'ulimit -n 120; exec "$0" --conditions=lachesis-source "$1" "$2" "$3"';
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, program, directory, how]);
    return Number(stdout);
  };
  try {
    expect(await record('opened')).toBe(2);
    // What would happen without.
    expect(await record('not opened')).toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
