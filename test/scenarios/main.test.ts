import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

import { startProcess } from '../kit/start-process.ts';
import { EXIT_INTERRUPTED } from './run-scenario.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('a process that is told to end before its shows have says so', async () => {
  const args = ['--conditions=lachesis-source', MAIN, 'chaos', 'simulation/seeds', '--full'];
  await using shows = await startProcess({ command: process.execPath, args });
  await vi.waitFor(() => expect(shows.logs()).toContain('▸ simulation/seeds'), 30_000);
  shows.signal('SIGTERM');
  expect(await shows.exited).toEqual({ code: EXIT_INTERRUPTED, signal: null });
});
