import { expect, test } from 'vitest';
import type { RouteCall } from '../http/route.ts';
import { createRewardRoutes } from './routes.ts';

const [show, score] = createRewardRoutes({
  scorer: { score: async ({ messages }) => messages.length + 0.5, close: async () => undefined },
  served: { name: 'taste@2', modelVersionId: 'id', weightsPath: 'tinker://m/sampler_weights/w' },
});

const sent = { request: { body: new Uint8Array(1) }, reply: { statusCode: 200 } };
const ask = (body: unknown) => score!.handle({ ...sent, readJson: async () => body } as unknown as RouteCall);

const MESSAGES = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'b' },
];

test('a reply of a conversation gets its score, and the model that gave it', async () => {
  expect(await ask({ messages: MESSAGES, reply: 'b' })).toEqual({ reward: 2.5, model: 'taste@2' });
  expect(await ask({ messages: MESSAGES, reply: 'b', model: 'id' })).toMatchObject({ reward: 2.5 });
  expect(await show!.handle(sent as unknown as RouteCall)).toMatchObject({ model: 'taste@2', model_version_id: 'id' });
});

test('a body without a conversation and a model that is not here are refused', async () => {
  await expect(ask({ messages: [], reply: 'b' })).rejects.toMatchObject({ code: 'invalid' });
  await expect(ask({ reply: 'b' })).rejects.toMatchObject({ code: 'invalid' });
  await expect(ask({ messages: MESSAGES, reply: 'b', model: 'other' })).rejects.toMatchObject({ code: 'not-found' });
});
