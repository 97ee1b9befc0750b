import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { waitUntilReady } from './wait-until-ready.ts';

let folder = '';
let logFile = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-ready-'));
  logFile = join(folder, 'log');
  await writeFile(logFile, '');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const healthy = async (): Promise<Response> => new Response('{"status":"ok"}');
const options = () => ({
  url: 'http://127.0.0.1:1',
  logFile,
  describeEnd: (): string | undefined => undefined,
  timeoutMs: 400,
  fetch: healthy as typeof globalThis.fetch,
});

test('an API that answers before its engine is up is not enough', async () => {
  await writeFile(logFile, 'Started background engine with PID 7\n');
  await expect(waitUntilReady(options())).rejects.toMatchObject({ reason: 'not-ready' });
});

test('the word of the engine counts also when it comes in two parts', async () => {
  await writeFile(logFile, 'x\n'.repeat(50_000) + 'INFO Starting backgr');
  setTimeout(() => void appendFile(logFile, 'ound engine...\n'), 150);
  await waitUntilReady({ ...options(), timeoutMs: 5_000 });
});

test('an engine that is up behind an API that does not answer is waited for', async () => {
  await writeFile(logFile, 'Starting background engine...\n');
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    if (++asked < 3) throw new TypeError('fetch failed');
    return new Response('');
  };
  await waitUntilReady({ ...options(), timeoutMs: 5_000, fetch });
  expect(asked).toBe(3);
});

test('somebody else who answers at its address is not taken for it', async () => {
  await writeFile(logFile, 'Starting background engine...\n[Errno 98] address already in use\n');
  const end = { describeEnd: (): string | undefined => 'code 1' };
  await expect(waitUntilReady({ ...options(), ...end })).rejects.toMatchObject({ reason: 'start-failed' });
  // It ends while the other one answers.
  let answered = false;
  const late = waitUntilReady({
    ...options(),
    describeEnd: () => (answered ? 'code 1' : undefined),
    fetch: async () => ((answered = true), new Response('')),
  });
  await expect(late).rejects.toMatchObject({ reason: 'start-failed' });
});

test('its end is told at once, with the last lines', async () => {
  await writeFile(logFile, 'Traceback\nModuleNotFoundError: aiohttp\n');
  const startedAt = performance.now();
  await expect(waitUntilReady({ ...options(), timeoutMs: 60_000, describeEnd: () => 'code 1' })).rejects.toMatchObject({
    reason: 'start-failed',
    output: 'Traceback\nModuleNotFoundError: aiohttp',
  });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
