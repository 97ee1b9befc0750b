import { createIdSource, type FeedbackInput } from '@lachesis/protocol';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createCall, createMemoryBlobs, user, assistant } from '../trajectories/captures.fixture.ts';
import { recordCaptures } from '../trajectories/captures/record-captures.ts';
import { findReply } from '../trajectories/find-reply.ts';
import { forgetTrajectories } from '../trajectories/forget-trajectories.ts';
import { listFeedback } from './list-feedback.ts';
import { attachWaiting, dropStaleFeedback, keepWaiting, listWaiting } from './waiting-feedback.ts';
import { withdrawFeedback } from './withdraw-feedback.ts';
import { writeFeedback } from './write-feedback.ts';

describeOnEachDialect('feedback that waits', (createTarget) => {
  async function open(target: Awaited<ReturnType<typeof createTarget>>) {
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const ids = createIdSource();
    const thumb = (name: string, isUp = true): FeedbackInput => ({
      ...{ trajectory_id: name, author: 'ada', author_kind: 'person', kind: 'thumb', is_up: isUp },
    });
    const keep = (feedback: FeedbackInput, most?: number) =>
      keepWaiting({ ...scope, feedback, ids, ...(most === undefined ? {} : { most }) });
    return { scope, thumb, keep };
  }

  /** Two turns of one conversation, and the names of the second. */
  function createTalk() {
    const [first, second] = [randomUUID(), randomUUID()];
    const told = randomUUID();
    const questions = [user('q')];
    const records = [
      createCall({
        record_id: first,
        messages: questions,
        trajectory: 'chat-7',
        response_id: 'chatcmpl-1',
        reply: assistant('a'),
      }),
      createCall({
        ...{ record_id: second, trajectory: 'chat-7', sequence: 1, response_id: 'chatcmpl-2', trajectory_id: told },
        messages: [...questions, assistant('a'), user('and?')],
      }),
    ];
    return { records, second, told };
  }

  test('a reply is found by the id of its turn, of its response, and the id its caller was told', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const { records, second, told } = createTalk();
    const [receipt] = await recordCaptures({ ...scope, records });
    const { trajectory_id: trajectoryId } = receipt!;
    const find = (name: string) => findReply({ ...scope, name });
    expect(await find(second)).toEqual([{ trajectoryId, turnIndex: 1 }]);
    expect(await find('chatcmpl-2')).toEqual([{ trajectoryId, turnIndex: 1 }]);
    expect(await find('chat-7')).toEqual([{ trajectoryId, turnIndex: undefined }]);
    expect(await find(told)).toEqual([{ trajectoryId, turnIndex: undefined }]);
    expect(await find('chatcmpl-3')).toEqual([]);
    await forgetTrajectories({ ...scope, trajectoryId });
    expect([await find(second), await find('chatcmpl-2'), await find(told)]).toEqual([[], [], []]);
  });

  test('a new trajectory has the id its caller was told; nobody takes the id of another by saying it', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const told = randomUUID();
    const one = createCall({ messages: [user('q')], trajectory: 'a', trajectory_id: told });
    const other = createCall({ messages: [user('other')], trajectory: 'b', trajectory_id: told });
    const [first] = await recordCaptures({ ...scope, records: [one] });
    const [second] = await recordCaptures({ ...scope, records: [other] });
    expect(first!.trajectory_id).toBe(told);
    expect(second!.trajectory_id).not.toBe(told);
    expect(await findReply({ ...scope, name: told })).toEqual([{ trajectoryId: told, turnIndex: undefined }]);
  });

  test.each(['turn', 'response', 'key', 'told'])(
    'by %s it is attached to its turn when the record comes',
    async (by) => {
      await using target = await createTarget();
      const { scope, thumb, keep } = await open(target);
      const { records, second, told } = createTalk();
      const name = { turn: second, response: 'chatcmpl-2', key: 'chat-7', told }[by]!;
      const waiting = await keep(thumb(name, false));
      expect(waiting).toMatchObject({ is_waiting: true, value: null });
      expect(await listFeedback(scope)).toEqual([]);
      // As after a restart: nothing but the database knows of it.
      const again = { ...scope, store: await target.open() };
      const [receipt] = await recordCaptures({ ...again, records });
      expect(await attachWaiting({ ...again, names: [name] })).toBe(1);
      const [kept] = await listFeedback(again);
      expect(kept).toMatchObject({ feedback_id: waiting!.feedback_id, value: 0 });
      expect(kept!.feedback.trajectory_id).toBe(receipt!.trajectory_id);
      expect(kept!.feedback.turn_index).toBe(by === 'turn' || by === 'response' ? 1 : undefined);
      expect(await listWaiting(again)).toEqual([]);
      expect(await attachWaiting({ ...again, names: [name] })).toBe(0);
    },
  );

  test('said again before the record comes, the last one counts', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    const { records } = createTalk();
    const first = await keep(thumb('chatcmpl-2', true));
    const second = await keep(thumb('chatcmpl-2', false));
    expect(second!.feedback_id).toBe(first!.feedback_id);
    await recordCaptures({ ...scope, records });
    await attachWaiting({ ...scope, names: ['chatcmpl-2'] });
    expect((await listFeedback(scope)).map(({ value }) => value)).toEqual([0]);
  });

  test('what was said after the record came is not overruled by what waited', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    const { records } = createTalk();
    await keep(thumb('chatcmpl-2', true));
    const [receipt] = await recordCaptures({ ...scope, records });
    const { trajectory_id: trajectoryId } = receipt!;
    const later = Math.max(...(await listWaiting(scope)).map(({ created_at: at }) => at));
    while ((await scope.store.now()) <= later) await new Promise((resolve) => setTimeout(resolve, 2));
    await writeFeedback({ ...scope, feedback: { ...thumb(trajectoryId, false), turn_index: 1 } });
    await attachWaiting({ ...scope, names: ['chatcmpl-2'] });
    expect((await listFeedback(scope)).map(({ value }) => value)).toEqual([0]);
    expect(await listWaiting(scope)).toEqual([]);
  });

  test('kept after its record came all the same, it is attached at once', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    await recordCaptures({ ...scope, records: createTalk().records });
    expect(await keep(thumb('chatcmpl-2'))).toMatchObject({ value: 1, feedback: { turn_index: 1 } });
    expect(await listWaiting(scope)).toEqual([]);
  });

  test('about a name of several replies it is attached to none of them', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    const records = ['a', 'b'].map((trajectory) =>
      createCall({ messages: [user('q')], trajectory, response_id: 'chatcmpl-same' }),
    );
    await recordCaptures({ ...scope, records });
    expect(await keep(thumb('chatcmpl-same'))).toMatchObject({ is_waiting: true });
    expect(await listFeedback(scope)).toEqual([]);
  });

  test('is bounded, taken back, and let go of with a count', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    const one = await keep(thumb('one'), 2);
    await keep(thumb('two'), 2);
    expect(await keep(thumb('three'), 2)).toBeUndefined();
    expect(await keep(thumb('two', false), 2)).toBeDefined();
    expect(await withdrawFeedback({ ...scope, feedbackId: one!.feedback_id })).toMatchObject({ is_waiting: true });
    expect(await listWaiting(scope)).toHaveLength(1);
    expect(await dropStaleFeedback(scope)).toBe(0);
    expect(await dropStaleFeedback({ ...scope, waitsMs: -1_000 })).toBe(1);
    expect(await listWaiting(scope)).toEqual([]);
  });

  test('of somebody who is forgotten is forgotten', async () => {
    await using target = await createTarget();
    const { scope, thumb, keep } = await open(target);
    await keep(thumb('chat-9'));
    await forgetTrajectories({ ...scope, user: 'ada' });
    expect(await listWaiting(scope)).toEqual([]);
  });
});
