import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { openLoop } from './open-loop.ts';

test('an environment that ends at once is found, with what it said', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-loop-'));
  try {
    await using loop = await openLoop({
      ...{ engineUrl: 'http://127.0.0.1:9', home, run: 'ends-at-once' },
      ...{ environment: join(home, 'no-such-environment.ts'), sharedFlags: [], trainerFlags: [] },
    });
    await loop.start('environment');
    await expect.poll(() => loop.findEnded()?.station, { timeout: 60_000 }).toBe('environment');
    expect(loop.findEnded()?.exit.code).not.toBe(0);
    expect(loop.logs('environment')).toContain('no-such-environment.ts');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test('who was asked to end is not among them', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-loop-'));
  try {
    await using loop = await openLoop({
      ...{ engineUrl: 'http://127.0.0.1:9', home, run: 'asked-to-end' },
      ...{ environment: 'digits', sharedFlags: [], trainerFlags: [] },
    });
    await loop.start('trajectory API');
    await loop.end('trajectory API');
    expect(loop.findEnded()).toBeUndefined();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
