import { expect, test } from 'vitest';
import { serverConfigSchema } from '../config/server-config.ts';
import { createHttpPolicy } from './create-http-policy.ts';
import type { PolicyRequest } from './policy.ts';

const server = (fields: object = {}) =>
  serverConfigSchema.parse({ base_url: 'http://one/v1', model_name: 'm', ...fields });

const asked: PolicyRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  samples: 2,
  maxTokens: 8,
  temperature: 1,
  seed: 7,
  rolloutIds: ['a', 'b'],
};

const choice = (tokens: number[], extra: object = {}) => ({
  message: { role: 'assistant', content: 'yes', tool_calls: null },
  finish_reason: 'stop',
  token_ids: tokens,
  token_logprobs: tokens.map(() => -0.25),
  ...extra,
});

function kit(answer: (url: string, body: Record<string, unknown>) => Response) {
  const calls: { url: string; body: Record<string, unknown>; headers: Record<string, string> }[] = [];
  const send = (async (url: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string) as Record<string, unknown>;
    calls.push({ url, body, headers: init.headers as Record<string, string> });
    return answer(url, body);
  }) as typeof fetch;
  return { calls, send };
}

test('asks for tokens, names the rollouts, and reads our reply', async () => {
  const { calls, send } = kit(() =>
    Response.json({
      prompt_token_ids: [1, 2],
      policy_version: 3,
      choices: [choice([5, 6]), choice([7], { policy_version: 4, policy_ranges: [[0, 1, 4]] })],
    }),
  );
  const policy = createHttpPolicy({
    servers: [server({ api_key: 'k', extra_body: { top_k: 1 } })],
    fetch: send,
    needsTokens: true,
  });
  const [first, second] = await policy.complete(asked);
  expect(calls[0]!.url).toBe('http://one/v1/chat/completions');
  expect(calls[0]!.headers).toMatchObject({ authorization: 'Bearer k', 'x-lachesis-rollout-id': 'a,b' });
  expect(calls[0]!.body).toMatchObject({
    n: 2,
    max_tokens: 8,
    return_token_ids: true,
    logprobs: true,
    seed: 7,
    top_k: 1,
  });
  expect([...first!.promptTokens, ...first!.tokens]).toEqual([1, 2, 5, 6]);
  expect(first).toMatchObject({ text: 'yes', policyVersion: 3, message: { role: 'assistant', content: 'yes' } });
  expect(first!.message).not.toHaveProperty('tool_calls');
  expect(second).toMatchObject({ policyVersion: 4, policyRanges: [[0, 1, 4]] });
});

test('reads the logprobs of vLLM', async () => {
  const logprobs = {
    content: [
      { token: 'y', logprob: -1 },
      { token: 'n', logprob: -2 },
    ],
  };
  const { send } = kit(() =>
    Response.json({ prompt_token_ids: [1], choices: [choice([5, 6], { token_logprobs: undefined, logprobs })] }),
  );
  const [completion] = await createHttpPolicy({ servers: [server()], fetch: send }).complete({ ...asked, samples: 1 });
  expect([...completion!.logprobs]).toEqual([-1, -2]);
});

test('a server without token ids is fine for evaluation and refused for training', async () => {
  const text = { message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' };
  const { send } = kit(() => Response.json({ choices: [text, text] }));
  const [completion] = await createHttpPolicy({ servers: [server()], fetch: send }).complete(asked);
  expect([completion!.text, completion!.tokens.length, completion!.policyVersion]).toEqual(['yes', 0, undefined]);
  await expect(
    createHttpPolicy({ servers: [server()], fetch: send, needsTokens: true }).complete(asked),
  ).rejects.toThrow(/does not tell which tokens.*8001/);
});

test('logprobs that do not fit the tokens are refused', async () => {
  const { send } = kit(() =>
    Response.json({ prompt_token_ids: [1], choices: [choice([5, 6], { token_logprobs: [-1] }), choice([5])] }),
  );
  await expect(createHttpPolicy({ servers: [server()], fetch: send }).complete(asked)).rejects.toThrow(
    /1 logprobs came for 2 tokens/,
  );
});

test('another server takes over from one that is away', async () => {
  const { calls, send } = kit((url) =>
    url.startsWith('http://one')
      ? new Response('no', { status: 503 })
      : Response.json({ prompt_token_ids: [1], choices: [choice([5]), choice([6])] }),
  );
  const servers = [server({ weight: 9 }), server({ base_url: 'http://two/v1' })];
  const policy = createHttpPolicy({ servers, fetch: send, retryForMs: 0 });
  expect(await policy.complete(asked)).toHaveLength(2);
  calls.length = 0;
  await policy.complete(asked);
  expect(calls.map(({ url }) => new URL(url).host)).toEqual(['two']);
});

test('a server that ignores n is asked once for each reply, with a seed of its own', async () => {
  const { calls, send } = kit(() => Response.json({ prompt_token_ids: [1], choices: [choice([5])] }));
  const few = createHttpPolicy({ servers: [server()], fetch: send });
  expect(await few.complete(asked)).toHaveLength(2);
  expect(calls.map(({ body }) => [body['n'], body['seed']])).toEqual([
    [2, 7],
    [1, 8],
  ]);
  calls.length = 0;
  const policy = createHttpPolicy({ servers: [server({ n_kwarg_is_ignored: true })], fetch: send });
  expect(await policy.complete(asked)).toHaveLength(2);
  expect(calls.map(({ body, headers }) => [body['n'], body['seed'], headers['x-lachesis-rollout-id']])).toEqual([
    [1, 7, 'a'],
    [1, 8, 'b'],
  ]);
});

test('requests beyond the server’s limit wait for their turn', async () => {
  let [inFlight, most] = [0, 0];
  const send = (async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inFlight -= 1;
    return Response.json({ prompt_token_ids: [1], choices: [choice([5])] });
  }) as unknown as typeof fetch;
  const policy = createHttpPolicy({ servers: [server({ num_max_requests_at_once: 3 })], fetch: send });
  await Promise.all(Array.from({ length: 20 }, () => policy.complete({ ...asked, samples: 1 })));
  expect(most).toBe(3);
});
