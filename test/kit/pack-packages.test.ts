import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { findUnbuilt } from './pack-packages.ts';

test('a package without what a build leaves is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-pack-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'built/dist'), { recursive: true });
  await mkdir(join(folder, 'fresh/src'), { recursive: true });
  expect(findUnbuilt(folder, ['built', 'fresh'])).toEqual(['fresh']);
});
