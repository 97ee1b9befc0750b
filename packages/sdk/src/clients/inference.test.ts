import { expect, test } from 'vitest';

import { createInferenceClient } from './inference.ts';

const ACTIVE = { policy_version: 3, model_path: 'tinker://a/weights/3', step: 3, base_model: 'm', active_since: 5 };

function kit(status: number, reply: unknown, url = 'http://inference/v1/') {
  const calls: { url: string; init: RequestInit }[] = [];
  const send = (async (address: string, init: RequestInit) => {
    calls.push({ url: address, init });
    return Response.json(reply, { status });
  }) as typeof fetch;
  return { client: createInferenceClient({ url, token: 'secret', fetch: send, retryForMs: 0 }), calls };
}

const bodyOf = ({ init }: { init: RequestInit }): unknown => JSON.parse(init.body as string);

test('a chat carries its rollout ids and gives back tokens', async () => {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'x' },
    finish_reason: 'stop',
    token_ids: [1, 2],
    token_logprobs: [-1, -2],
    policy_version: 3,
  };
  const { client, calls } = kit(200, { id: '1', object: 'chat.completion', created: 1, model: 'm', choices: [choice] });
  const reply = await client.chat(
    { messages: [{ role: 'user', content: 'hi' }], return_token_ids: true },
    { rolloutId: ['a', 'b'], policyVersion: 3 },
  );
  expect(reply.choices[0]).toMatchObject({ token_ids: [1, 2], token_logprobs: [-1, -2] });
  expect(calls[0]?.url).toBe('http://inference/v1/chat/completions');
  expect(calls[0]?.init.headers).toMatchObject({
    authorization: 'Bearer secret',
    'x-lachesis-rollout-id': 'a,b',
    'x-lachesis-policy': '3',
  });
  expect(calls.map(bodyOf)).toMatchObject([{ stream: false, return_token_ids: true }]);
});

test('generation of one sample is a list too', async () => {
  const meta = { prompt_tokens: 1, completion_tokens: 1, output_token_logprobs: [[-1, 7, null]] };
  const { client, calls } = kit(200, { text: 'x', meta_info: meta }, 'http://inference');
  expect(await client.generate({ input_ids: [1] })).toMatchObject([{ meta_info: meta }]);
  expect(calls[0]?.url).toBe('http://inference/generate');
});

test('a reply whose tokens are not tokens is refused', async () => {
  const choice = { index: 0, message: { role: 'assistant' }, finish_reason: 'stop', token_ids: [1.5] };
  const { client } = kit(200, { id: '1', object: '', created: 1, model: 'm', choices: [choice] });
  await expect(client.chat({ messages: [{ role: 'user' }] })).rejects.toMatchObject({ code: 'unreadable-reply' });
});

test('publishing answers with what is served, and a refusal says why', async () => {
  const publication = { model_path: ACTIVE.model_path, policy_version: 3, step: 3 };
  expect(await kit(200, ACTIVE).client.publishPolicy(publication)).toEqual(ACTIVE);
  const error = { code: 'conflict', message: 'policy 3 is older', type: 'invalid_request_error', param: null };
  await expect(kit(409, { error }).client.publishPolicy(publication)).rejects.toMatchObject({
    code: 'conflict',
    retryable: false,
  });
});

test('health of a server that is not ours is that it answers', async () => {
  expect(await kit(200, {}).client.health()).toEqual({ status: 'ok' });
  expect(await kit(200, { status: 'ok', policy_version: null }).client.health()).toEqual({
    status: 'ok',
    policy_version: null,
  });
  await expect(kit(503, { error: { code: 'unavailable', message: 'no' } }).client.health()).rejects.toMatchObject({
    status: 503,
  });
});
