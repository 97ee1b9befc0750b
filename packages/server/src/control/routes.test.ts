import { openOutbox } from '@lachesis/sdk/capture';
import {
  makeConversation,
  type CaptureReceipt,
  type DataRecord,
  type Feedback,
  type TrajectoryDetail,
  type TrajectoryPage,
} from '@lachesis/protocol';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createControlBench, makeCall, type ControlBench } from './bench.fixture.ts';

async function record(bench: ControlBench, ...records: ReturnType<typeof makeCall>[]): Promise<string[]> {
  const { status, json } = await bench.call('POST', '/v1/records', { body: { records } });
  expect(status).toBe(200);
  return (json as CaptureReceipt).receipts.map(({ trajectory_id: id }) => id);
}

const list = async (bench: ControlBench, query = ''): Promise<TrajectoryPage> =>
  (await bench.call('GET', `/v1/trajectories${query}`)).json as TrajectoryPage;

const thumb = (id: string, fields: object = {}): object => ({
  trajectory_id: id,
  author: 'ann',
  author_kind: 'person',
  kind: 'thumb',
  is_up: true,
  key: `rate:${id}`,
  ...fields,
});

describe('records', () => {
  it('are there when they are acknowledged, and are kept once when they are sent again', async () => {
    await using bench = await createControlBench();
    const call = makeCall();
    const [id] = await record(bench, call);
    const again = await bench.call('POST', '/v1/records', { body: { records: [call] } });
    expect(again.json).toMatchObject({ receipts: [{ trajectory_id: id, is_repeat: true }] });
    const { json } = await bench.call('GET', `/v1/trajectories/${id}`);
    const { summary, turns } = json as TrajectoryDetail;
    expect(summary).toMatchObject({ trajectory_id: id, turn_count: 1, model: 'toy' });
    expect(turns[0]?.replies[0]?.message.content).toBe('Four.');
  });

  it('say of a turn what their recorder said besides', async () => {
    await using bench = await createControlBench();
    const [id] = await record(bench, makeCall({ user: 'ada', tags: ['shop'], metadata: { plan: 'free' } }));
    const { summary, turns } = (await bench.call('GET', `/v1/trajectories/${id}?tokens=none`)).json as TrajectoryDetail;
    expect([summary.user, summary.tags, turns[0]?.metadata]).toEqual(['ada', ['shop'], { plan: 'free' }]);
  });

  it('that break a rule are refused with the place, and nothing is kept', async () => {
    await using bench = await createControlBench();
    const wrong = { ...makeCall(), sequence: -1 };
    const { status, json } = await bench.call('POST', '/v1/records', { body: { records: [makeCall(), wrong] } });
    expect(status).toBe(422);
    expect(json).toMatchObject({ error: { code: 'invalid', issues: [{ field: 'records.1.sequence' }] } });
    expect((await list(bench)).trajectories).toEqual([]);
  });

  it('lose their secrets on their way in', async () => {
    await using bench = await createControlBench();
    const content = 'My key is sesame-4711-open and sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD.';
    const [id] = await record(bench, makeCall({ messages: [{ role: 'user', content }] }));
    const { text } = await bench.call('GET', `/v1/trajectories/${id}`);
    expect(text).not.toMatch(/sesame-4711|sk-proj-abc/);
    expect(text).toContain('My key is [redacted');
  });

  it('that an application left on disk are read while the server runs, and their files are gone then', async () => {
    await using bench = await createControlBench();
    const outbox = openOutbox({ directory: join(bench.home, 'outbox'), recorder: 'app' });
    outbox.append(makeCall({ recorder: 'app', messages: [{ role: 'user', content: 'sesame-4711-open from disk' }] }));
    await expect.poll(async () => (await list(bench, '?text=disk')).trajectories.length, { timeout: 5_000 }).toBe(1);
    await expect.poll(() => readdir(join(bench.home, 'outbox')), { timeout: 5_000 }).toEqual([]);
    outbox.append(makeCall({ recorder: 'app', sequence: 1 }));
    await expect.poll(async () => (await list(bench)).trajectories.length, { timeout: 5_000 }).toBe(2);
    await outbox.close();
  });

  it('of a live gateway are left to it, those of one that is gone are read', async () => {
    await using bench = await createControlBench();
    const directory = join(bench.home, 'outbox');
    const gateway = openOutbox({ directory, recorder: 'gateway-1' });
    const app = openOutbox({ directory, recorder: 'app' });
    const count = async (): Promise<number> => (await list(bench)).trajectories.length;
    gateway.append(makeCall({ recorder: 'gateway-1' }));
    // Between the two, every outbox was looked at.
    for (const sequence of [0, 1]) {
      app.append(makeCall({ recorder: 'app', sequence }));
      await expect.poll(() => readdir(directory), { timeout: 5_000 }).not.toContain('app');
    }
    const [file = ''] = await readdir(join(directory, 'gateway-1'));
    expect(file).toMatch(/jsonl$/);
    expect(await count()).toBe(2);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(join(directory, 'gateway-1', file), longAgo, longAgo);
    await expect.poll(count, { timeout: 5_000 }).toBe(3);
    await Promise.all([gateway.close(), app.close()]);
  });
});

describe('trajectories', () => {
  it('are found by filter and by words, page by page', async () => {
    await using bench = await createControlBench();
    await record(
      bench,
      makeCall({ model: 'large', user: 'ann', messages: [{ role: 'user', content: 'Where is the zebra?' }] }),
      makeCall({ user: '42' }),
      makeCall({ tags: ['night'] }),
    );
    expect((await list(bench, '?model=large')).trajectories).toMatchObject([{ user: 'ann' }]);
    expect((await list(bench, '?text=zebra')).trajectories).toHaveLength(1);
    expect((await list(bench, '?user=42')).trajectories).toHaveLength(1);
    expect((await list(bench, '?tag=night&max_turns=1&has_error=false')).trajectories).toHaveLength(1);
    const first = await list(bench, '?limit=2');
    expect(first.trajectories).toHaveLength(2);
    const second = await list(bench, `?limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ trajectories: [{ model: 'large' }], next_cursor: null });
  });

  it.each(['colour=red', 'limit=0', 'limit=x', 'min_reward=much', 'has_error=maybe', 'cursor=zzz', 'user=%00'])(
    'refuse the query %s',
    async (query) => {
      await using bench = await createControlBench();
      expect((await bench.call('GET', `/v1/trajectories?${query}`)).status).toBe(422);
    },
  );

  it.each(['nobody', '0192aaaa-0000-7000-8000-00000000ffff'])('that do not exist (%s) are 404', async (id) => {
    await using bench = await createControlBench();
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/tags'],
    ] as const) {
      const { status } = await bench.call(method, `/v1/trajectories/${id}${path}`, { body: { add: ['a'] } });
      expect(status, `${method} ${path}`).toBe(404);
    }
  });

  it('carry tags and consent that can be changed', async () => {
    await using bench = await createControlBench();
    const [id] = await record(bench, makeCall({ tags: ['old'] }));
    const change = { add: ['good'], remove: ['old'], consent: 'keep' };
    const { json } = await bench.call('POST', `/v1/trajectories/${id}/tags`, { body: change });
    expect(json).toMatchObject({ tags: ['good'], consent: 'keep' });
    expect((await list(bench, '?tag=good&consent=keep')).trajectories).toHaveLength(1);
  });

  it('that were forgotten are gone, and do not come back when they are sent again', async () => {
    await using bench = await createControlBench();
    const call = makeCall({ messages: [{ role: 'user', content: 'forget the zebra' }] });
    const [id] = await record(bench, call);
    expect((await bench.call('DELETE', `/v1/trajectories/${id}`)).json).toEqual({
      trajectories: 1,
      datasets: [],
      models: [],
    });
    expect((await bench.call('DELETE', `/v1/trajectories/${id}`)).status).toBe(404);
    await record(bench, call);
    expect((await list(bench, '?text=zebra')).trajectories).toEqual([]);
    expect((await bench.call('GET', `/v1/trajectories/${id}`)).status).toBe(404);
  });

  it('of one user are forgotten together', async () => {
    await using bench = await createControlBench();
    await record(bench, makeCall({ user: 'ann' }), makeCall({ user: 'ann' }), makeCall({ user: 'bob' }));
    expect((await bench.call('POST', '/v1/forget', { body: { user: 'ann' } })).json).toMatchObject({ trajectories: 2 });
    expect((await list(bench)).trajectories).toMatchObject([{ user: 'bob' }]);
    expect((await bench.call('POST', '/v1/forget', { body: {} })).status).toBe(422);
  });
});

describe('feedback', () => {
  it('is kept once, revised under its key, and withdrawn', async () => {
    await using bench = await createControlBench();
    const [id = ''] = await record(bench, makeCall());
    const post = async (body: object): Promise<Feedback> =>
      (await bench.call('POST', '/v1/feedback', { body })).json as Feedback;
    const first = await post(thumb(id));
    expect((await post(thumb(id))).feedback_id).toBe(first.feedback_id);
    expect((await list(bench)).trajectories).toMatchObject([{ rating: 1 }]);
    const second = await post(thumb(id, { is_up: false }));
    expect(second.revises).toBe(first.feedback_id);
    expect((await list(bench)).trajectories).toMatchObject([{ rating: 0 }]);
    const holds = await bench.call('GET', `/v1/feedback?trajectory_id=${id}&author_kind=person`);
    expect(holds.json).toMatchObject({ feedback: [{ feedback_id: second.feedback_id }] });
    expect((await bench.call('DELETE', `/v1/feedback/${second.feedback_id}`)).status).toBe(200);
    expect((await bench.call('GET', '/v1/feedback')).json).toEqual({ feedback: [] });
    expect((await bench.call('DELETE', '/v1/feedback/nothing')).status).toBe(404);
  });

  it('of every kind is taken', async () => {
    await using bench = await createControlBench();
    const [id = '', other = ''] = await record(bench, makeCall(), makeCall());
    const about = { trajectory_id: id, author: 'ann', author_kind: 'person' };
    const kinds = [
      { kind: 'stars', stars: 4 },
      { kind: 'text', comment: 'well done' },
      { kind: 'edit', turn_index: 0, edited: { role: 'assistant', content: '4' } },
      { kind: 'choice', over: { trajectory_id: other } },
      { kind: 'step', turn_index: 0, is_right: true },
      { kind: 'score', score: 0.5, author_kind: 'judge', author: 'gpt' },
    ];
    for (const kind of kinds) {
      expect((await bench.call('POST', '/v1/feedback', { body: { ...about, ...kind } })).status, kind.kind).toBe(200);
    }
    const { json } = await bench.call('GET', '/v1/feedback');
    expect((json as { feedback: Feedback[] }).feedback.map(({ feedback }) => feedback.kind).sort()).toEqual(
      kinds.map(({ kind }) => kind).sort(),
    );
  });

  it('by any name of a reply, before and after it is recorded, is about that turn', async () => {
    await using bench = await createControlBench();
    const said = { author: 'ada', author_kind: 'person', kind: 'thumb', is_up: false };
    const post = async (body: object) => (await bench.call('POST', '/v1/feedback', { body })).json as Feedback;
    const early = await post({ ...said, response_id: 'chatcmpl-9' });
    expect(early).toMatchObject({ is_waiting: true });
    const waiting = await bench.call('GET', '/v1/feedback?waiting=true');
    expect(waiting.json).toMatchObject({ feedback: [{ feedback_id: early.feedback_id }] });
    const call = { ...makeCall(), response_id: 'chatcmpl-9' };
    const [id = ''] = await record(bench, call);
    const { feedback } = (await bench.call('GET', '/v1/feedback')).json as { feedback: Feedback[] };
    expect(feedback).toMatchObject([
      { feedback_id: early.feedback_id, value: 0, feedback: { trajectory_id: id, turn_index: 0 } },
    ]);
    const late = await post({ ...said, is_up: true, turn_id: call.record_id });
    expect(late).toMatchObject({ revises: early.feedback_id, feedback: { trajectory_id: id, turn_index: 0 } });
    expect(
      (await bench.call('POST', '/v1/feedback', { body: { ...said, turn_id: 'a', response_id: 'b' } })).status,
    ).toBe(422);
  });

  it('about what does not exist waits, of a choice is 404, and out of its range 422', async () => {
    await using bench = await createControlBench();
    const [id = ''] = await record(bench, makeCall());
    const status = async (body: object): Promise<number> => (await bench.call('POST', '/v1/feedback', { body })).status;
    expect(await status(thumb('nobody'))).toBe(200);
    expect(await status({ ...thumb(id), kind: 'choice', is_up: undefined, over: { trajectory_id: 'nobody' } })).toBe(
      404,
    );
    expect(await status({ ...thumb(id), kind: 'stars', is_up: undefined, stars: 6 })).toBe(422);
    expect(await status(thumb(id, { colour: 'red' }))).toBe(422);
  });
});

describe('data sets', () => {
  const row = (id: string, content: string): DataRecord =>
    makeConversation({
      id,
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'ok' },
      ],
    });

  it('are made, found by name and version, and read row by row', async () => {
    await using bench = await createControlBench();
    const make = (rows: DataRecord[], name = 'chats', isHeldOut = false) =>
      bench.call('POST', '/v1/datasets', { body: { name, rows, is_held_out: isHeldOut } });
    expect((await make([row('a', 'one')])).json).toMatchObject({ name: 'chats', version: 1, row_count: 1 });
    expect((await make([row('a', 'one')])).json).toMatchObject({ version: 1 });
    expect((await make([row('a', 'one'), row('b', 'two')])).json).toMatchObject({ version: 2 });
    expect((await bench.call('GET', '/v1/datasets/chats')).json).toMatchObject({ version: 2 });
    expect((await bench.call('GET', '/v1/datasets/chats@1')).json).toMatchObject({ version: 1 });
    expect((await bench.call('GET', '/v1/datasets/dogs')).status).toBe(404);
    const { text } = await bench.call('GET', '/v1/datasets/chats@2/rows');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as DataRecord).id);
    expect(rows).toEqual(['a', 'b']);

    await make([row('c', 'secret')], 'exam', true);
    const refused = await make([row('d', 'secret')]);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('exam@1');
  });
});

describe('the server', () => {
  it('says that it lives and which library it keeps', async () => {
    await using bench = await createControlBench();
    const { status, json } = await bench.call('GET', '/health');
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'ok', engine: 'none', inference: 'none', version: expect.any(String) });
    expect(json).toMatchObject({ service: 'control', library: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it('describes every route it has', async () => {
    await using bench = await createControlBench();
    const { json } = await bench.call('GET', '/openapi.json');
    const described = Object.keys((json as { paths: object }).paths);
    const served = bench.control.routes.map((route) => route.path.replaceAll(/:([a-z_]+)/g, '{$1}'));
    expect(described.sort()).toEqual([...new Set(served)].sort());
  });

  it('tells callers of another station where it is', async () => {
    await using bench = await createControlBench();
    expect((await bench.call('POST', '/v1/chat/completions', { body: {} })).text).toContain('port 8001');
    expect((await bench.call('POST', '/scored_data', { body: {} })).text).toContain('port 8000');
  });
});
