import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { listProcesses } from './list-processes.ts';

test('this process is listed', async () => {
  const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(own?.command).not.toBe('');
});

test('a program whose name holds brackets and spaces is read from /proc', async () => {
  const procDirectory = await mkdtemp(join(tmpdir(), 'lachesis-proc-'));
  await mkdir(join(procDirectory, '42'));
  await mkdir(join(procDirectory, '43'));
  await mkdir(join(procDirectory, 'self'));
  await writeFile(join(procDirectory, '42/stat'), '42 (a) b (c) S 1 40 39 0');
  await writeFile(join(procDirectory, '42/cmdline'), 'uv\0run\0--model\0/my models\0');
  // 43 has ended in the meantime: its files are gone.
  const found = await listProcesses({ platform: 'linux', procDirectory });
  await rm(procDirectory, { recursive: true });
  expect(found).toEqual([{ pid: 42, group: 40, command: 'uv run --model /my models' }]);
});

test('elsewhere ps is asked', async () => {
  const found = await listProcesses({
    platform: 'darwin',
    run: async ({ onLine }) => {
      for (const line of ['    1     1 /sbin/launchd', ' 4242  4200 uv run  --x', '']) onLine?.(line);
      return { code: 0, output: '' };
    },
  });
  expect(found).toEqual([
    { pid: 1, group: 1, command: '/sbin/launchd' },
    { pid: 4242, group: 4200, command: 'uv run  --x' },
  ]);
});
