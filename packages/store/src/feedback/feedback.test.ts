import type { FeedbackInput } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { TrajectoryMissingError } from '../errors/library-errors.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createCall, createMemoryBlobs, user } from '../trajectories/captures.fixture.ts';
import { readTrajectory } from '../trajectories/read-trajectory.ts';
import { recordCaptures } from '../trajectories/captures/record-captures.ts';
import { listFeedback } from './list-feedback.ts';
import { withdrawFeedback } from './withdraw-feedback.ts';
import { writeFeedback } from './write-feedback.ts';

describeOnEachDialect('feedback', (createTarget) => {
  async function open(target: Awaited<ReturnType<typeof createTarget>>) {
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const [receipt] = await recordCaptures({
      ...scope,
      records: [createCall({ trajectory: 'k', messages: [user('q')] })],
    });
    const about = { trajectory_id: receipt!.trajectory_id, author: 'ada', author_kind: 'person' } as const;
    const write = (feedback: FeedbackInput) => writeFeedback({ ...scope, feedback });
    const rating = async () => (await readTrajectory({ ...scope, trajectoryId: about.trajectory_id }))?.summary.rating;
    return { scope, about, write, rating };
  }

  test('said twice is one, said otherwise revises it', async () => {
    await using target = await createTarget();
    const { scope, about, write, rating } = await open(target);
    const first = await write({ ...about, kind: 'thumb', is_up: true });
    expect(await write({ ...about, kind: 'thumb', is_up: true })).toEqual(first);
    expect(await rating()).toBe(1);
    const second = await write({ ...about, kind: 'thumb', is_up: false });
    expect(second).toMatchObject({ revises: first.feedback_id, value: 0 });
    expect(await rating()).toBe(0);
    expect(await listFeedback(scope)).toEqual([second]);
    expect(await listFeedback({ ...scope, withHistory: true })).toEqual([first, second]);
    const third = await write({ ...about, kind: 'thumb', is_up: true });
    expect(third.revises).toBe(second.feedback_id);
  });

  test('by people is the rating; by rules, by judges and about steps it is not', async () => {
    await using target = await createTarget();
    const { about, write, rating } = await open(target);
    await write({ ...about, kind: 'score', score: 0.1, author: 'rule', author_kind: 'rule' });
    await write({ ...about, kind: 'step', turn_index: 0, is_right: false });
    await write({ ...about, kind: 'text', comment: 'hm' });
    expect(await rating()).toBeNull();
    await write({ ...about, kind: 'stars', stars: 5 });
    await write({ ...about, kind: 'stars', stars: 3, author: 'bob' });
    expect(await rating()).toBe(0.75);
  });

  test('can be taken back', async () => {
    await using target = await createTarget();
    const { scope, about, write, rating } = await open(target);
    const { feedback_id: feedbackId } = await write({ ...about, kind: 'stars', stars: 2, key: 'mine' });
    const taken = await withdrawFeedback({ ...scope, feedbackId });
    expect(taken?.withdrawn_at).toBeGreaterThan(0);
    expect(await withdrawFeedback({ ...scope, feedbackId })).toEqual(taken);
    expect(await rating()).toBeNull();
    expect(await listFeedback(scope)).toEqual([]);
    const anew = await write({ ...about, kind: 'stars', stars: 2, key: 'mine' });
    expect(anew).toMatchObject({ revises: feedbackId, withdrawn_at: null });
    expect(await withdrawFeedback({ ...scope, feedbackId: 'none' })).toBeUndefined();
  });

  test('is found by author, kind and time', async () => {
    await using target = await createTarget();
    const { scope, about, write } = await open(target);
    await write({ ...about, kind: 'edit', edited: { role: 'assistant', content: 'better' }, turn_index: 0 });
    await write({ ...about, kind: 'choice', over: { trajectory_id: 'x' }, author: 'judge', author_kind: 'judge' });
    const kinds = async (options: object) =>
      (await listFeedback({ ...scope, ...options })).map(({ feedback }) => feedback.kind);
    expect(await kinds({})).toEqual(['edit', 'choice']);
    expect(await kinds({ author: 'ada' })).toEqual(['edit']);
    expect(await kinds({ authorKind: 'judge' })).toEqual(['choice']);
    expect(await kinds({ kind: 'choice', trajectoryId: about.trajectory_id })).toEqual(['choice']);
    expect(await kinds({ since: Date.now() + 100_000 })).toEqual([]);
    expect(await kinds({ tenantId: 'other' })).toEqual([]);
  });

  test('of many at once is all counted', async () => {
    await using target = await createTarget();
    const { scope, about, write, rating } = await open(target);
    await Promise.all(
      [1, 2, 3, 4, 5].flatMap((stars) =>
        [0, 1].map(() => write({ ...about, kind: 'stars', stars, author: `p${stars}` })),
      ),
    );
    expect(await listFeedback(scope)).toHaveLength(5);
    expect(await rating()).toBe(0.5);
  });

  test('about nothing is refused', async () => {
    await using target = await createTarget();
    const { about, write } = await open(target);
    const missing = write({ ...about, trajectory_id: 'none', kind: 'thumb', is_up: true });
    await expect(missing).rejects.toSatisfy(TrajectoryMissingError.isInstance);
  });
});
