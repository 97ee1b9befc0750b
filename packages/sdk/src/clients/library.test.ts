import { realClock, type DataRecord } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { ClientError } from './client-error.ts';
import { createLibraryClient } from './library.ts';

/** A server that answers one call, and remembers it. */
function answer(status: number, body: unknown) {
  const calls: { url: string; method: string; body: string | undefined; authorization: string | null }[] = [];
  const client = createLibraryClient({
    url: 'http://library.test/',
    token: 'secret',
    retryForMs: 0,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      calls.push({
        url: typeof url === 'string' ? url : '',
        method: init?.method ?? 'GET',
        body: typeof init?.body === 'string' ? init.body : undefined,
        authorization: headers.get('authorization'),
      });
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
    },
  });
  return { client, calls };
}

const notFound = { error: { code: 'not-found', message: 'there is none' } };

test('a filter goes as the query, and what is not asked for stays out', async () => {
  const { client, calls } = answer(200, { trajectories: [], next_cursor: null });
  await client.listTrajectories({ filter: { text: 'a b&c', has_error: false, min_reward: 0 }, limit: 5 });
  expect(calls).toEqual([
    {
      url: 'http://library.test/v1/trajectories?text=a+b%26c&has_error=false&min_reward=0&limit=5',
      method: 'GET',
      body: undefined,
      authorization: 'Bearer secret',
    },
  ]);
});

test('what does not exist is undefined or false; another refusal is an error', async () => {
  const { client, calls } = answer(404, notFound);
  expect(await client.readTrajectory('a/b')).toBeUndefined();
  expect(await client.readDataset('chats@3')).toBeUndefined();
  expect(await client.withdrawFeedback('x')).toBe(false);
  expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET http://library.test/v1/trajectories/a%2Fb',
    'GET http://library.test/v1/datasets/chats%403',
    'DELETE http://library.test/v1/feedback/x',
  ]);
  const refused = answer(403, { error: { code: 'forbidden', message: 'no', hint: 'ask' } });
  const error = await refused.client.readTrajectory('a').catch((thrown: unknown) => thrown);
  expect(ClientError.isInstance(error) && [error.code, error.hint]).toEqual(['forbidden', 'ask']);
});

test('rows are read line by line, and a line that is none is named', async () => {
  const row = {
    kind: 'preference',
    id: 'p',
    trajectory_id: null,
    tools: null,
    feedback_ids: [],
    tags: [],
    split: 'train',
  };
  const messages = [{ role: 'user', content: 'a\nb' }];
  const line = JSON.stringify({
    ...row,
    prompt: messages,
    chosen: messages,
    rejected: messages,
    weight: 1,
    consent: 'train',
    extra: {},
  });
  const read = async (body: string): Promise<string[]> =>
    (await Array.fromAsync(answer(200, body).client.readDatasetRows('x'))).map(({ id }) => id);
  expect(await read(`${line}\n${line}\n`)).toEqual(['p', 'p']);
  await expect(read(`${line}\n{"kind":"other"}\n`)).rejects.toThrow(/row 2 is no data record/);
  await expect(read(`${line}\n${line.slice(0, 9)}`)).rejects.toThrow(/broke off in row 2/);
  await expect(Array.fromAsync(answer(404, notFound).client.readDatasetRows('x'))).rejects.toThrow(/there is none/);
});

test('a server that is no library is refused', async () => {
  const other = answer(200, { status: 'ok' });
  await expect(other.client.health()).rejects.toThrow(/another program/);
  expect(await answer(200, { status: 'ok', service: 'control', library: 'abc' }).client.health()).toEqual({
    status: 'ok',
    library: 'abc',
  });
});

test('a file that no set takes, or that takes longer than pieces are kept, is refused while it is sent', async () => {
  let hours = 0;
  let calls = 0;
  const send = (rows: number, hoursEach: number) => {
    [hours, calls] = [0, 0];
    const client = createLibraryClient({
      ...{ url: 'http://library.test', clock: { ...realClock, now: () => hours * 3_600_000 } },
      fetch: async () => {
        hours += hoursEach;
        calls += 1;
        return Response.json({ piece: 'p', row_count: 1_000, redacted: 0 });
      },
    });
    const row = {} as DataRecord;
    const read = function* (): Generator<DataRecord> {
      for (let index = 0; index < rows; index += 1) yield row;
    };
    return client.importDataset('x', { rows: read() });
  };
  await expect(send(1_001_000, 0)).rejects.toMatchObject({
    ...{ code: 'too-large', reason: expect.stringContaining('1000000 rows were sent, and one data set takes no more') },
  });
  expect(calls).toBe(1_000);
  await expect(send(20_000, 8)).rejects.toThrow('a server keeps them for a day only');
  expect(calls).toBe(3);
});
