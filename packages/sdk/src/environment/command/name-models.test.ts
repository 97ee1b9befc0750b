import { expect, test } from 'vitest';
import { serverConfigSchema } from '../config/server-config.ts';
import { nameModels } from './name-models.ts';

const servers = [serverConfigSchema.parse({ base_url: 'http://one/v1' })];
const signal = new AbortController().signal;

const answering = (...models: object[]) =>
  (async () =>
    Response.json({ object: 'list', data: models.map((model) => ({ object: 'model', ...model })) })) as never;

const nameWith = async (fetch: never, choose?: (server: unknown, models: readonly string[]) => Promise<string>) =>
  (await nameModels({ servers, origins: {}, choose, fetch, signal })).map(({ model_name: name }) => name);

test('the only model of a server is asked for', async () => {
  expect(await nameWith(answering({ id: 'qwen3' }))).toEqual(['qwen3']);
});

test('of several one is chosen by who can be asked, and elsewhere refused with the choices and the command', async () => {
  const two = answering({ id: 'a' }, { id: 'b' });
  expect(await nameWith(two, async (_server, models) => models[1]!)).toEqual(['b']);
  await expect(nameWith(two)).rejects.toThrow(
    /has 2 models, and none is named: a, b.*lachesis inference use http:\/\/one/,
  );
});

test('our own server, one that is away and one that was named are left as they are', async () => {
  expect(await nameWith(answering({ id: 'x', owned_by: 'lachesis' }, { id: 'y' }))).toEqual(['default']);
  expect(await nameWith((async () => new Response('no', { status: 503 })) as never)).toEqual(['default']);
  const origins = { 'openai.0.model_name': 'flag' } as const;
  const fetch = answering({ id: 'a' }, { id: 'b' });
  expect(await nameModels({ servers, origins, choose: undefined, fetch, signal })).toEqual(servers);
});
