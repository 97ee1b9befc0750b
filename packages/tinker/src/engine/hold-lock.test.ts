import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { holdLock } from './hold-lock.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const options = () => ({ file: join(folder, 'a/lock'), purpose: 'testing', waitMs: 5_000 });

test('holders come one after the other', async () => {
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      await using _held = await holdLock(options());
      most = Math.max(most, ++holders);
      await sleep(20);
      holders--;
    }),
  );
  expect(most).toBe(1);
});

test('who waits is told once, and gives up after its time', async () => {
  await using _held = await holdLock(options());
  let told = 0;
  await expect(holdLock({ ...options(), waitMs: 250, onWait: () => void told++ })).rejects.toMatchObject({
    reason: 'busy',
  });
  expect(told).toBe(1);
});

test('who waits can be called off', async () => {
  await using _held = await holdLock(options());
  await expect(holdLock({ ...options(), signal: AbortSignal.timeout(50) })).rejects.toThrow(/abort|timeout/i);
});

test('the lock of a process that was killed is free', async () => {
  const module = new URL('hold-lock.ts', import.meta.url).href;
  const source = `const { holdLock } = await import(${JSON.stringify(module)});
    const held = await holdLock({ file: ${JSON.stringify(options().file)}, purpose: 'dying', waitMs: 0 });
    console.log('held'); setInterval(() => held, 1000);`;
  const child = spawn(process.execPath, ['--conditions=lachesis-source', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await expect(holdLock({ ...options(), waitMs: 0 })).rejects.toMatchObject({ reason: 'busy' });
  child.kill('SIGKILL');
  await using _held = await holdLock(options());
});
