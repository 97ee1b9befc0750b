import { openHome } from '@lachesis/store';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { startOrphanCollection } from './orphan-collection.ts';

afterEach(() => void vi.useRealTimers());

test('what no row refers to is left for a day: pieces of a data set wait so long for their version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-orphans-'));
  await using home = await openHome({ home: folder });
  const { blobs } = await home.serveBlobs();
  for (const hours of [23, 25]) {
    const digest = createHash('sha256').update(String(hours)).digest('hex');
    await blobs.put(digest, Buffer.from(String(hours)));
    const then = new Date(Date.now() - hours * 3_600_000);
    await utimes(join(home.paths.blobs, digest.slice(0, 2), digest), then, then);
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const report = await new Promise((resolve) => {
    const log = pino({ level: 'silent' });
    // What rows gave up is told of first.
    log.info = (report: unknown, text?: string) => {
      if (text === 'orphaned payloads collected') resolve(report);
    };
    log.warn = resolve;
    const collection = startOrphanCollection({ home: { store: home.store, blobs }, log });
    vi.advanceTimersByTime(5 * 60_000);
    collection.stop();
  });
  expect(report).toMatchObject({ removedBlobs: 1, removedBytes: 2 });
  await rm(folder, { recursive: true });
});
