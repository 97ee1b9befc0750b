import { expect, test } from 'vitest';
import { askOnce } from './ask-once.ts';

function answer(status: number, body: object): { send: typeof fetch; asked: { url: string; init: RequestInit }[] } {
  const asked: { url: string; init: RequestInit }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return url.endsWith('/models') ? Response.json({ data: [{ id: 'talker' }] }) : Response.json(body, { status });
  }) as unknown as typeof fetch;
  return { send, asked };
}

test('our own model is asked for one token, and nobody records it', async () => {
  const { send, asked } = answer(200, {});
  expect(await askOnce({ baseUrl: 'http://g/v1', isOwnModel: true, fetch: send })).toBeUndefined();
  expect(new Headers(asked[1]?.init.headers).get('x-lachesis-consent')).toBe('none');
  expect(JSON.parse(asked[1]?.init.body as string)).toMatchObject({ model: 'talker', max_tokens: 1 });
});

test('a model that does not answer is said, with the reason and the command', async () => {
  const { send } = answer(503, { error: { message: 'the engine is away' } });
  expect(await askOnce({ baseUrl: 'http://g/v1', isOwnModel: true, fetch: send })).toBe(
    'the model does not answer yet (503: the engine is away). `lachesis engine status` looks at the engine.',
  );
});

test('a server of somebody else is not asked: it may cost', async () => {
  const { send, asked } = answer(200, {});
  await askOnce({ baseUrl: 'http://g/v1', isOwnModel: false, fetch: send });
  expect(asked).toEqual([]);
});
