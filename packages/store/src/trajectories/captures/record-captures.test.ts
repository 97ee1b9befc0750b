import type { ChatMessage } from '@lachesis/protocol';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEachDialect } from '../../testing/test-stores.fixture.ts';
import type { TestTarget } from '../../testing/test-stores.fixture.ts';
import { assistant, createCall, createEnd, createMemoryBlobs, createMessages, user } from '../captures.fixture.ts';
import { listTrajectories } from '../list-trajectories.ts';
import { readConversation, readRequest } from '../read-conversation.ts';
import { readTrajectory } from '../read-trajectory.ts';
import { recordCaptures } from './record-captures.ts';

async function open(target: TestTarget) {
  const blobs = createMemoryBlobs();
  const scope = { store: await target.open(), blobs, tenantId: 'local' };
  return { ...scope, scope };
}

describeOnEachDialect('recorded captures', (createTarget) => {
  test('join under their key and keep only what is new', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const first = [user('one')];
    const second = [...first, assistant('1'), user('two')];
    const receipts = await recordCaptures({
      ...scope,
      records: [
        createCall({ trajectory: 'k', messages: first, reply: assistant('1'), tags: ['a'] }),
        createCall({
          trajectory: 'k',
          sequence: 1,
          messages: second,
          reply: assistant('2'),
          tags: ['b'],
          at: 1_700_000_001_000,
        }),
        createEnd({ trajectory: 'k', sequence: 2, reward: 0.5, at: 1_700_000_002_000 }),
      ],
    });
    expect(receipts.map(({ turn_index: index, is_repeat: isRepeat }) => [index, isRepeat])).toEqual([
      [0, false],
      [1, false],
      [null, false],
    ]);
    const stored = await readTrajectory({ ...scope, trajectoryId: receipts[0]!.trajectory_id });
    expect(stored?.summary).toMatchObject({
      key: 'k',
      title: 'one',
      model: 'small',
      outcome: 'scored',
      reward: 0.5,
      turn_count: 2,
      tags: ['a', 'b'],
      cost: 1,
      completion_tokens: 4,
      token_count: 12,
      has_tokens: false,
      missing_records: 0,
      started_at: 1_700_000_000_000,
      updated_at: 1_700_000_002_000,
      ended_at: 1_700_000_002_000,
    });
    expect(stored?.turns[1]).toMatchObject({ parent_index: 0, kept_messages: 2, messages: [user('two')] });
    expect(readRequest(stored!.turns, 1)).toEqual(second);
    expect(readConversation(stored!.turns, 1)).toEqual([...second, assistant('2')]);
  });

  test('find their trajectory by what they continue, without a key', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const record = async (messages: ChatMessage[], reply: string, changes = {}) =>
      (
        await recordCaptures({ ...scope, records: [createCall({ messages, reply: assistant(reply), ...changes })] })
      )[0]!;
    const first = await record([user('hello')], 'hi');
    const history = [user('hello'), { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }];
    const second = await record([...history, user('and?')], 'yes', { sequence: 1 });
    expect(second).toMatchObject({ trajectory_id: first.trajectory_id, turn_index: 1 });
    // The same first message is not yet the same conversation.
    expect((await record([user('hello')], 'hi there', { sequence: 2 })).trajectory_id).not.toBe(first.trajectory_id);
    // Another person, another recorder and another day are others.
    for (const [index, changes] of [{ user: 'ada' }, { recorder: 'other' }, { at: 1_700_200_000_000 }].entries()) {
      const apart = await record([...history, user('and?'), assistant('yes'), user('so')], 'x', {
        sequence: 3 + index,
        ...changes,
      });
      expect(apart.turn_index).toBe(0);
    }
    const fork = await record([...history, user('no!')], 'oh', { sequence: 9 });
    expect(fork.turn_index).toBe(2);
    const stored = await readTrajectory({ ...scope, trajectoryId: fork.trajectory_id });
    expect(stored?.turns[2]).toMatchObject({ parent_index: 0, kept_messages: 2, messages: [user('no!')] });
  });

  test('read a tool call that came back with other spacing as the same', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const reply = {
      role: 'assistant',
      content: null,
      reasoning_content: 'think',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo", "n": 1.0}' } },
      ],
    };
    const back = {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"n":1,"city":"Oslo"}' } },
      ],
    };
    const [first] = await recordCaptures({ ...scope, records: [createCall({ messages: [user('weather?')], reply })] });
    const [second] = await recordCaptures({
      ...scope,
      records: [
        createCall({
          sequence: 1,
          messages: [user('weather?'), back, { role: 'tool', tool_call_id: 'c1', content: 'rain' }],
        }),
      ],
    });
    expect(second?.trajectory_id).toBe(first?.trajectory_id);
    const stored = await readTrajectory({ ...scope, trajectoryId: first!.trajectory_id });
    expect(stored?.summary.tool_call_count).toBe(1);
    expect(stored?.turns[0]?.replies[0]?.message).toEqual(reply);
  });

  test('are kept once however often they are sent', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const records = [0, 1, 2].map((sequence) =>
      createCall({ trajectory: 'k', sequence, messages: [user(`q${sequence}`)] }),
    );
    const first = await recordCaptures({ ...scope, records });
    const again = await recordCaptures({ ...scope, records: [...records, records[0]!] });
    expect(again).toEqual([...first, first[0]!].map((receipt) => ({ ...receipt, is_repeat: true })));
    const { trajectories } = await listTrajectories({ ...scope, filter: {}, limit: 10 });
    expect(trajectories).toMatchObject([{ turn_count: 3, missing_records: 0 }]);
  });

  test('that never came are told, until they come', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const call = (sequence: number) => createCall({ trajectory: 'k', sequence, messages: [user(`q${sequence}`)] });
    const [receipt] = await recordCaptures({ ...scope, records: [call(0), call(3), call(6)] });
    const read = () => readTrajectory({ ...scope, trajectoryId: receipt!.trajectory_id });
    expect((await read())?.gaps).toEqual([
      { recorder: 'test', from: 1, to: 2 },
      { recorder: 'test', from: 4, to: 5 },
    ]);
    expect((await read())?.summary.missing_records).toBe(4);
    await recordCaptures({ ...scope, records: [call(2), call(4), call(5)] });
    expect((await read())?.gaps).toEqual([{ recorder: 'test', from: 1, to: 1 }]);
    await recordCaptures({ ...scope, records: [call(1)] });
    expect(await read()).toMatchObject({ gaps: [], summary: { missing_records: 0, turn_count: 7 } });
  });

  test('of a recorder without keys are missed by the trajectory that came after', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    await recordCaptures({ ...scope, records: [createCall({ messages: [user('a')] })] });
    const [late] = await recordCaptures({ ...scope, records: [createCall({ sequence: 2, messages: [user('b')] })] });
    const read = () => readTrajectory({ ...scope, trajectoryId: late!.trajectory_id });
    expect((await read())?.gaps).toEqual([{ recorder: 'test', from: 1, to: 1 }]);
    await recordCaptures({ ...scope, records: [createCall({ sequence: 1, messages: [user('c')] })] });
    expect((await read())?.gaps).toEqual([]);
  });

  test('of many recorders at once are all kept', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const recorders = ['r0', 'r1', 'r2', 'r3', 'r4'];
    await Promise.all(
      recorders.flatMap((recorder) =>
        [0, 1, 2].map((sequence) =>
          recordCaptures({
            ...scope,
            records: [
              createCall({ recorder, sequence, trajectory: 'shared', messages: [user(`${recorder} ${sequence}`)] }),
            ],
          }),
        ),
      ),
    );
    const { trajectories } = await listTrajectories({ ...scope, filter: {}, limit: 10 });
    expect(trajectories).toMatchObject([{ turn_count: 15, missing_records: 0 }]);
    const stored = await readTrajectory({ ...scope, trajectoryId: trajectories[0]!.trajectory_id });
    expect(stored?.turns.map(({ turn_index: index }) => index)).toEqual(
      Array.from({ length: 15 }, (_, index) => index),
    );
  });

  test('keep long contents in blobs, the same one once', async () => {
    await using target = await createTarget();
    const { scope, blobs } = await open(target);
    const long = Array.from({ length: 4000 }, (_, index) => `line ${index}`).join('\n');
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(50_000)}` } };
    const messages = [user(long), { role: 'user', content: [{ type: 'text', text: 'see' }, image] }];
    const receipts = await recordCaptures({
      ...scope,
      records: [
        createCall({ trajectory: 'a', messages }),
        createCall({ trajectory: 'b', messages, reply: assistant(long) }),
      ],
    });
    expect(blobs.files.size).toBe(2);
    const [, second] = receipts;
    const stored = await readTrajectory({ ...scope, trajectoryId: second!.trajectory_id });
    expect(stored?.turns[0]?.messages).toEqual(messages);
    expect(stored?.turns[0]?.replies[0]?.message).toEqual(assistant(long));
  });

  test('write their words to the index once for all of them', async () => {
    await using target = await createTarget();
    const { scope, store } = await open(target);
    const records = Array.from({ length: 40 }, (_, index) =>
      createCall({ trajectory: `k${index}`, messages: [user(`q${index}`)], tags: [`t${index}`] }),
    );
    await recordCaptures({ ...scope, records });
    const { trajectories } = await listTrajectories({ ...scope, filter: { text: 'q17' }, limit: 10 });
    expect(trajectories.map(({ key }) => key)).toEqual(['k17']);
    if (store.dialect !== 'sqlite') return;
    // FTS5 begins a segment each time it writes out, and merges them later.
    const { rows } = await sql`select distinct segid from turn_search_idx`.execute(store.db);
    expect(rows).toHaveLength(1);
  });

  test('come back as they were, in any script and length', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    // Below and above what is compressed, with what UTF-8, JSON and SQL texts treat apart.
    const texts = ['', 'plain', 'Zürich 東京 🜁', 'a\u0000b\u2028\uD800"\\', 'ü\u0000🜁'.repeat(1_000)];
    for (const [index, text] of texts.entries()) {
      const messages = [user(`n${index}`), user(text)];
      const [receipt] = await recordCaptures({ ...scope, records: [createCall({ sequence: index, messages })] });
      const stored = await readTrajectory({ ...scope, trajectoryId: receipt!.trajectory_id });
      expect(stored?.turns[0]?.messages).toEqual(messages);
    }
  });

  test('keep tokens and logprobs to the digit', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const tokens = {
      prompt_token_ids: Array.from({ length: 9000 }, (_, index) => (index * 7919) % 150_000),
      token_ids: [1, 2, 3],
      logprobs: [-0.1, -1e-17, -12.345678901234567],
      policy_version: 3,
    };
    const call = createCall({ messages: [user('x')] });
    call.replies[0] = { ...call.replies[0]!, tokens, tokens_missing: null };
    const [receipt] = await recordCaptures({ ...scope, records: [call] });
    const stored = await readTrajectory({ ...scope, trajectoryId: receipt!.trajectory_id });
    expect(stored?.turns[0]?.replies[0]?.tokens).toEqual(tokens);
    expect(stored?.summary.has_tokens).toBe(true);
  });

  test('made by an application are turns, and what they say later calls continue', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const messages = [user('a'), assistant('b')];
    const [first] = await recordCaptures({ ...scope, records: [createMessages({ messages, consent: 'keep' })] });
    const [second] = await recordCaptures({
      ...scope,
      records: [createCall({ sequence: 1, messages: [...messages, user('c')] })],
    });
    expect(second).toMatchObject({ trajectory_id: first!.trajectory_id, turn_index: 1 });
    const stored = await readTrajectory({ ...scope, trajectoryId: first!.trajectory_id });
    expect(stored?.summary).toMatchObject({ consent: 'keep', has_tokens: false, source: 'app' });
    expect(readRequest(stored!.turns, 1)).toEqual([...messages, user('c')]);
  });

  test('of one tenant are not seen by another', async () => {
    await using target = await createTarget();
    const { scope } = await open(target);
    const [receipt] = await recordCaptures({
      ...scope,
      records: [createCall({ trajectory: 'k', messages: [user('secret')] })],
    });
    const other = { ...scope, tenantId: 'other' };
    const [theirs] = await recordCaptures({
      ...other,
      records: [createCall({ trajectory: 'k', messages: [user('mine')] })],
    });
    expect(theirs?.turn_index).toBe(0);
    expect(await readTrajectory({ ...other, trajectoryId: receipt!.trajectory_id })).toBeUndefined();
    expect((await listTrajectories({ ...other, filter: { text: 'secret' }, limit: 10 })).trajectories).toEqual([]);
  });
});
