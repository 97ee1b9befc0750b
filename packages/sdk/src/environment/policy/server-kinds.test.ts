import { expect, onTestFinished, test } from 'vitest';
import { serverConfigSchema } from '../config/server-config.ts';
import { createHttpPolicy } from './create-http-policy.ts';
import { createTinyModel } from '../../render/testing/tiny-model.fixture.ts';
import type { PolicyRequest } from './policy.ts';

const asked: PolicyRequest = {
  ...{
    messages: [{ role: 'user', content: 'hi' }],
    samples: 2,
    maxTokens: 8,
    maxTotalTokens: 64,
    temperature: 1,
    seed: 7,
  },
};

type Call = { path: string; body: Record<string, unknown> };

function kit(type: string, answer: (call: Call) => object, fields: object = {}) {
  const calls: Call[] = [];
  const notes: string[] = [];
  const send = (async (url: string, init: RequestInit) => {
    const call = { path: new URL(url).pathname, body: JSON.parse(init.body as string) as Record<string, unknown> };
    calls.push(call);
    return Response.json(answer(call));
  }) as typeof fetch;
  const server = { base_url: 'http://one/v1', model_name: 'm', server_type: type, ...fields };
  const servers = [serverConfigSchema.parse(server)];
  const open = (needsTokens: boolean) =>
    createHttpPolicy({ servers, fetch: send, needsTokens, onNote: (note) => notes.push(note) });
  return { calls, notes, open };
}

const reply = (count: number, extra: object = {}) => ({
  choices: Array.from({ length: count }, () => ({ message: { role: 'assistant', content: 'yes' }, ...extra })),
});
const logprobs = { content: [{ logprob: -1 }, { logprob: -2 }] };

test.each(['vllm', 'trl'])('%s is asked for ids in its own words, and not in ours', async (type) => {
  const { calls, open } = kit(type, () => ({ ...reply(2, { token_ids: [5, 6], logprobs }), prompt_token_ids: [1] }));
  const [first] = await open(true).complete(asked);
  expect([...first!.tokens, ...first!.logprobs]).toEqual([5, 6, -1, -2]);
  expect(calls[0]!.body).toMatchObject({ n: 2, logprobs: true, return_token_ids: true });
  expect(Object.keys(calls[0]!.body)).not.toContain('max_total_tokens');
});

test('a server that names the version of its policy is ours, whatever the file calls it', async () => {
  const { calls, open } = kit('vllm', () => ({ ...reply(2), policy_version: 3 }));
  const policy = open(false);
  await policy.complete(asked);
  await policy.complete(asked);
  expect(calls.map(({ body }) => body['max_total_tokens'])).toEqual([undefined, 64]);
});

test('SGLang tells its ids under another name', async () => {
  const ids = { prompt_token_ids: [1, 2], response_token_ids: [5, 6], logprobs };
  const { calls, open } = kit('sglang', () => reply(2, ids));
  const [first] = await open(true).complete(asked);
  expect([...first!.promptTokens, ...first!.tokens]).toEqual([1, 2, 5, 6]);
  expect(calls[0]!.body).toMatchObject({ return_token_ids: true, return_prompt_token_ids: true });
});

test('an SGLang without ids in chat replies is asked through /generate, with the prompt rendered here', async () => {
  const { directory, remove } = await createTinyModel();
  onTestFinished(remove);
  const generated = {
    text: 'yes',
    meta_info: {
      ...{ prompt_tokens: 9, completion_tokens: 2, finish_reason: { type: 'stop' } },
      output_token_logprobs: [
        [-0.5, 121, null],
        [-0.25, 101, null],
      ],
    },
  };
  const { calls, notes, open } = kit('sglang', ({ path }) => (path === '/generate' ? generated : reply(2)), {
    tokenizer_name: directory,
  });
  const policy = open(true);
  const completions = await policy.complete(asked);
  expect(completions.map(({ tokens }) => [...tokens])).toEqual([
    [121, 101],
    [121, 101],
  ]);
  expect(completions[0]).toMatchObject({ text: 'yes', finishReason: 'stop', message: { role: 'assistant' } });
  expect(calls.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/generate', '/generate']);
  const [, native] = calls;
  expect(native!.body).toMatchObject({
    return_logprob: true,
    sampling_params: { max_new_tokens: 8, temperature: 1, sampling_seed: 7 },
  });
  expect([...completions[0]!.promptTokens]).toEqual(native!.body['input_ids']);
  expect(notes).toEqual([expect.stringContaining('/generate'), expect.stringContaining('one reply a request')]);
  await policy.complete({ ...asked, samples: 1 });
  expect(calls.at(-1)!.path).toBe('/generate');
});

test('Ollama is asked once a reply, without n and without fields it does not have', async () => {
  const { calls, open } = kit('ollama', () => reply(1));
  expect(await open(false).complete(asked)).toHaveLength(2);
  expect(calls.map(({ body }) => Object.keys(body).toSorted())).toEqual(
    Array.from({ length: 2 }, () => ['max_tokens', 'messages', 'model', 'seed', 'temperature']),
  );
});

test.each(['ollama', 'openrouter'])('%s is refused for training before it is asked, with the reason', (type) => {
  const { calls, open } = kit(type, () => reply(1));
  expect(() => open(true)).toThrow(/no field for the ids of tokens/);
  expect(calls).toEqual([]);
});

test('evaluations leave room: no more of them at once than num_requests_for_eval', async () => {
  let [evaluating, most] = [0, 0];
  const send = (async () => {
    evaluating += 1;
    most = Math.max(most, evaluating);
    await new Promise((resolve) => setTimeout(resolve, 1));
    evaluating -= 1;
    return Response.json(reply(1));
  }) as unknown as typeof fetch;
  const servers = [serverConfigSchema.parse({ base_url: 'http://one/v1', num_requests_for_eval: 2 })];
  const policy = createHttpPolicy({ servers, fetch: send });
  const ask = (isEvaluation: boolean) =>
    Promise.all(Array.from({ length: 12 }, () => policy.complete({ ...asked, samples: 1, isEvaluation })));
  await ask(true);
  expect(most).toBe(2);
  await ask(false);
  expect(most).toBe(12);
});
