import { createIdSource, createRedactor } from '@lachesis/protocol';
import { openHome } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLocalLibrary } from './local-library.ts';

const home = await mkdtemp(join(tmpdir(), 'lachesis-local-'));
const { store, blobs } = await openHome({ home });
const actions: { action: string; things: object }[] = [];
const library = createLocalLibrary({
  ...{ parts: { store, blobs, ids: createIdSource(), redactor: createRedactor() }, tenantId: 'local' },
  audit: async (action) => void actions.push(action),
});

afterAll(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

test('the store is a library without a server: recorded, found, tagged, rated, forgotten', async () => {
  const [receipt] = await library.sendRecords([
    {
      record_id: '0192aaaa-0000-7000-8000-000000000001',
      recorder: 'app',
      sequence: 0,
      trajectory: 'task',
      at: 1,
      user: 'ann',
      tags: [],
      consent: 'train',
      metadata: null,
      kind: 'messages',
      source: 'test',
      model: null,
      messages: [
        { role: 'user', content: 'Where is the zebra?' },
        { role: 'assistant', content: 'In the zoo.' },
      ],
      tools: null,
    },
  ]);
  const id = receipt?.trajectory_id ?? '';
  expect(await library.listTrajectories({ filter: { text: 'zebra' } })).toMatchObject({
    trajectories: [{ trajectory_id: id, user: 'ann' }],
  });
  expect(await library.changeTags(id, { add: ['animals'], consent: 'keep' })).toMatchObject({
    tags: ['animals'],
    consent: 'keep',
  });
  const about = { trajectory_id: id, author: 'me', author_kind: 'person' } as const;
  const { feedback_id: feedbackId } = await library.writeFeedback({ ...about, kind: 'stars', stars: 5 });
  expect((await library.readTrajectory(id))?.summary.rating).toBe(1);
  expect(await library.listFeedback({ trajectory_id: id })).toHaveLength(1);
  expect([await library.withdrawFeedback(feedbackId), await library.withdrawFeedback('nothing')]).toEqual([
    true,
    false,
  ]);
  expect(await library.forget({ user: 'ann' })).toEqual({ trajectories: 1, datasets: [], models: [] });
  expect(await library.readTrajectory(id)).toBeUndefined();
  // In the audit log, and without the name of who was forgotten.
  expect(actions.map(({ action, things }) => [action, things])).toEqual([
    ['trajectories tag', { trajectory: id, consent: 'keep' }],
    ['feedback withdraw', { feedback: feedbackId }],
    ['trajectories forget', { trajectories: '1' }],
  ]);
  await expect(library.changeTags(id, { add: ['x'] })).rejects.toThrow(/there is no trajectory/);
});
