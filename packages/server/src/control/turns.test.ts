import type { TrajectoryDetail, TrajectoryTurn } from '@lachesis/protocol';
import { decodeTurnTokens, type TurnTokens } from '@lachesis/protocol/codec';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeByteModel } from '../services/models/byte-model.fixture.ts';
import { createControlBench, makeCall, makeToken, type ControlBench } from './bench.fixture.ts';

let bench: ControlBench;
let model: Awaited<ReturnType<typeof writeByteModel>>;
let id: string;
let token: string;

const message = (content: string) => ({ role: 'assistant', content }) as const;
const TURNS = 30;

beforeAll(async () => {
  model = await writeByteModel();
  bench = await createControlBench();
  token = await makeToken(bench.store, 'a', ['admin']);
  // The last byte of the euro sign never came: such a reply is no text.
  const ids = [...Buffer.from('two '), 0xe2, 0x82];
  const records = Array.from({ length: TURNS }, (_, index) => ({
    ...makeCall({ trajectory: 'long', model: index === 1 ? 'nobody/knows' : model.directory }),
    ...{ recorder: 'app', sequence: index },
    messages: [{ role: 'user' as const, content: `question ${index}` }],
    replies: [
      {
        message: message(`answer ${index}`),
        finish_reason: 'stop',
        tokens:
          index === 2
            ? null
            : {
                ...{ prompt_token_ids: [256, 104, 105], token_ids: ids, logprobs: ids.map((_each, at) => -at / 8) },
                policy_version: 7,
              },
        tokens_missing: index === 2 ? ('backend-returns-none' as const) : null,
      },
    ],
  }));
  const sent = await bench.call('POST', '/v1/records', { token, body: { records } });
  id = (sent.json as { receipts: { trajectory_id: string }[] }).receipts[0]?.trajectory_id ?? '';
});

afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.remove();
});

const read = async (query: string) =>
  (await bench.call('GET', `/v1/trajectories/${id}${query}`, { token })).json as TrajectoryDetail;

test('a trajectory is read without its tokens, and says how many there are', async () => {
  const [whole, slim] = [await read(''), await read('?tokens=none')];
  expect([whole.turns.length, slim.turns.length, slim.next_turn]).toEqual([TURNS, TURNS, undefined]);
  expect(whole.turns[0]?.replies[0]).toMatchObject({ tokens: { token_ids: expect.any(Array) as number[] } });
  expect(whole.turns[0]?.replies[0]).not.toHaveProperty('token_counts');
  expect(slim.turns[0]?.replies[0]).toMatchObject({
    ...{ message: message('answer 0'), tokens: null, token_counts: { prompt: 3, reply: 6, policy_version: 7 } },
  });
  expect(slim.turns[2]?.replies[0]).toMatchObject({ tokens_missing: 'backend-returns-none', token_counts: null });
  expect(JSON.stringify(slim)).not.toContain('token_ids');
});

test('its turns are read page by page, and none twice', async () => {
  const seen: number[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: TrajectoryDetail = await read(`?tokens=none&from=${from}&limit=7`);
    expect(page.summary.turn_count).toBe(TURNS);
    seen.push(...page.turns.map(({ turn_index: index }) => index));
    from = page.next_turn ?? null;
  }
  expect(seen).toEqual(Array.from({ length: TURNS }, (_, index) => index));
  expect(await read('?from=29')).toMatchObject({ turns: [{ turn_index: 29 }], next_turn: null });
  expect(await read('?from=30&limit=1')).toMatchObject({ turns: [], next_turn: null });
});

test('one turn is read by its number', async () => {
  const one = async (path: string) => await bench.call('GET', `/v1/trajectories/${id}/turns/${path}`, { token });
  const { trajectory_id: trajectoryId, turn } = (await one('3')).json as {
    trajectory_id: string;
    turn: TrajectoryTurn;
  };
  expect([trajectoryId, turn.turn_index, turn.replies[0]?.tokens]).toEqual([id, 3, null]);
  expect((await one('3?tokens=all')).json).toMatchObject({ turn: { replies: [{ tokens: { policy_version: 7 } }] } });
  expect((await one('30')).json).toMatchObject({ error: { code: 'not-found', hint: 'It has 30; the first is 0.' } });
  for (const wrong of ['x', '-1', '1.5', '1e3']) expect([wrong, (await one(wrong)).status]).toEqual([wrong, 422]);
  const other = await makeToken(bench.store, 'b', ['admin']);
  for (const path of ['', '/turns/3', '/turns/3/tokens'])
    expect((await bench.call('GET', `/v1/trajectories/${id}${path}`, { token: other })).status).toBe(404);
});

test('the tokens of a reply come packed, each with the bytes that it stands for', async () => {
  const ask = async (path: string): Promise<TurnTokens> => {
    const reply = await bench.control.app.inject({
      url: `/v1/trajectories/${id}/turns/${path}`,
      headers: { host: 'localhost', authorization: `Bearer ${token}` },
    });
    expect(reply.headers['content-type']).toBe('application/vnd.lachesis.tokens');
    return decodeTurnTokens(reply.rawPayload);
  };
  const said = await ask('0/tokens');
  expect([said.promptTokens, [...said.ids], [...said.mask], said.policyVersion]).toEqual([
    3,
    [256, 104, 105, 116, 119, 111, 32, 0xe2, 0x82],
    [0, 0, 0, 1, 1, 1, 1, 1, 1],
    7,
  ]);
  expect([...said.logprobs]).toEqual([0, -0.125, -0.25, -0.375, -0.5, -0.625]);
  expect(said.text?.tokenizer).toBe(model.directory);
  expect(Buffer.from(said.text?.bytes ?? []).toString('latin1')).toBe('<|im_start|>hitwo \u00e2\u0082');
  expect([...(said.text?.offsets ?? [])]).toEqual([0, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  const own = await ask('0/tokens?prompt=false');
  expect([own.promptTokens, own.ids.length, own.text?.offsets[0]]).toEqual([0, 6, 0]);
  // Where the tokenizer is not here there are ids, and nothing is made up.
  expect(await ask('1/tokens')).toMatchObject({ promptTokens: 3, text: null });
});

test('a reply that was recorded without tokens says why there are none', async () => {
  const ask = async (path: string) =>
    (await bench.call('GET', `/v1/trajectories/${id}/turns/${path}`, { token })).json as { error: { message: string } };
  expect((await ask('2/tokens')).error.message).toContain('backend-returns-none');
  expect((await ask('0/tokens?reply=4')).error.message).toContain('has 1 replies');
});
