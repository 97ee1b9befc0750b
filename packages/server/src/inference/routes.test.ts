import { TOOL_CALL_FORMATS } from '@lachesis/protocol/names';
import { createToken } from '@lachesis/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedSource, IM_END, IM_START, sampled, type Script } from './scripted-source.fixture.ts';
import { createInferenceKit, type BenchBody, type InferenceKit } from './bench.fixture.ts';

let kit: InferenceKit;
beforeAll(async () => void (kit = await createInferenceKit()));
afterAll(() => kit[Symbol.asyncDispose]());

const HELLO = { messages: [{ role: 'user', content: 'hi' }], model: 'any' };
const PROMPT = [IM_START, ...Buffer.from('user\nhi'), IM_END, 10, IM_START, ...Buffer.from('assistant\n')];
const ROLLOUT = '0192aaaa-0000-7000-8000-000000000000';

const say =
  (text: string, ids: readonly number[] = [IM_END]): Script =>
  ({ samples }) => ({ sequences: Array.from({ length: samples }, () => sampled(text, ids)) });

const bench = (script: Script, options: Record<string, unknown> = {}) =>
  kit.bench({ source: createScriptedSource(script) }, options);

describe('/v1/chat/completions', () => {
  it('gives the ids it was asked with and the ids that were sampled', async () => {
    const source = createScriptedSource(say('a\u00e9b'));
    await using own = await kit.bench({ source });
    const { status, json, headers } = await own.call(
      'POST',
      '/v1/chat/completions',
      { ...HELLO, n: 2, return_token_ids: true, max_tokens: 9, temperature: 0.5, seed: 7, top_k: -1 },
      { 'x-lachesis-rollout-id': ROLLOUT },
    );
    expect(status).toBe(200);
    const { tokens, logprobs } = sampled('a\u00e9b', [IM_END]);
    const choice = {
      message: { role: 'assistant', content: 'a\u00e9b' },
      finish_reason: 'stop',
      token_ids: [...tokens],
      token_logprobs: [...logprobs],
      policy_version: 0,
      rollout_id: ROLLOUT,
    };
    expect(json()).toMatchObject({
      object: 'chat.completion',
      model: 'tiny',
      prompt_token_ids: PROMPT,
      policy_version: 0,
      choices: [
        { index: 0, ...choice },
        { index: 1, ...choice },
      ],
      usage: { prompt_tokens: PROMPT.length, completion_tokens: 10, total_tokens: PROMPT.length + 10 },
    });
    expect(headers['x-lachesis-rollout-id']).toBe(ROLLOUT);
    expect(source.requests[0]).toMatchObject({ samples: 2, maxTokens: 9, temperature: 0.5, seed: 7, topK: undefined });
    expect(new Set(source.requests[0]?.stopTokens)).toEqual(new Set([IM_END, 258]));
  });

  it('leaves ids out when nobody asked, and the version in', async () => {
    await using own = await bench(say('x'));
    const reply = (await own.call('POST', '/v1/chat/completions', HELLO)).json();
    expect(reply).not.toHaveProperty('prompt_token_ids');
    expect(reply.choices[0]).not.toHaveProperty('token_ids');
    expect(reply.choices[0]).toMatchObject({ policy_version: 0, logprobs: null });
  });

  it('ends at the token that completes a stop text, and keeps that token', async () => {
    await using own = await bench(say('one, two; three'));
    const ask = async (extra: object) =>
      (await own.call('POST', '/v1/chat/completions', { ...HELLO, return_token_ids: true, ...extra })).json()
        .choices[0]!;
    expect(await ask({ stop: ['two;', ', tw'] })).toMatchObject({
      message: { content: 'one' },
      finish_reason: 'stop',
      token_ids: [...Buffer.from('one, tw')],
      token_logprobs: { length: 7 },
    });
    expect(await ask({ stop: ';', include_stop_str_in_output: true })).toMatchObject({
      message: { content: 'one, two;' },
    });
    expect(await ask({ stop: 'nowhere' })).toMatchObject({ message: { content: 'one, two; three' } });
  });

  it('says length when nothing ended the reply', async () => {
    await using own = await bench(say('cut off', []));
    const reply = (await own.call('POST', '/v1/chat/completions', HELLO)).json();
    expect(reply.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'cut off' } });
  });

  it('reads tool calls when tools were given, and leaves them alone when not', async () => {
    const call = 'Look.\n<tool_call>{"name": "add", "arguments": {"a": 1.0}}</tool_call>';
    await using own = await bench(say(call));
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }];
    const given = (await own.call('POST', '/v1/chat/completions', { ...HELLO, tools })).json().choices[0]!;
    expect(given).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Look.',
        tool_calls: [{ type: 'function', function: { name: 'add', arguments: '{"a": 1.0}' } }],
      },
    });
    expect(given.message.tool_calls[0]?.id).toMatch(/^call_/);
    const plain = (await own.call('POST', '/v1/chat/completions', HELLO)).json().choices[0]!;
    expect(plain).toMatchObject({ finish_reason: 'stop', message: { content: call } });
  });

  it('reads values of a call by the types of the tool that was offered', async () => {
    const call = '<tool_call>dial<arg_key>number</arg_key><arg_value>7</arg_value></tool_call>';
    await using own = await bench(say(call), { toolCallParser: 'glm47' });
    const ask = async (type: string): Promise<unknown> => {
      const parameters = { type: 'object', properties: { number: { type } } };
      const tools = [{ type: 'function', function: { name: 'dial', parameters } }];
      return (await own.call('POST', '/v1/chat/completions', { ...HELLO, tools })).json().choices[0]!.message
        .tool_calls;
    };
    expect(await ask('string')).toMatchObject([{ function: { arguments: '{"number": "7"}' } }]);
    expect(await ask('integer')).toMatchObject([{ function: { arguments: '{"number": 7}' } }]);
  });

  it.each(TOOL_CALL_FORMATS)('can be told that calls are written as in %s', async (toolCallParser) => {
    await using own = await bench(say('x'), { toolCallParser });
    expect((await own.call('POST', '/v1/chat/completions', HELLO)).status).toBe(200);
  });

  it('splits thinking off when it is asked to', async () => {
    await using own = await bench(say('<think>\nhm\n</think>\n\nyes'));
    const reply = await own.call('POST', '/v1/chat/completions', { ...HELLO, separate_reasoning: true });
    expect(reply.json().choices[0]!.message).toMatchObject({ reasoning_content: 'hm', content: 'yes' });
  });

  it('names each token of a reply with log probabilities', async () => {
    await using own = await bench(say('ab', []));
    const reply = await own.call('POST', '/v1/chat/completions', { ...HELLO, logprobs: true });
    expect(reply.json().choices[0]!.logprobs.content).toEqual([
      { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] },
      { token: 'b', logprob: -0.625, bytes: [98], top_logprobs: [] },
    ]);
  });

  it('streams pieces that add up to the whole reply', async () => {
    const text = 'A text that is longer than one piece \u{1F9F5}, and ends.';
    await using own = await bench(say(text));
    const reply = await own.call('POST', '/v1/chat/completions', {
      ...HELLO,
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
      return_token_ids: true,
    });
    expect(reply.headers['content-type']).toContain('text/event-stream');
    const lines = reply.text.split('\n\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)) as BenchBody);
    const whole = ['', ''];
    for (const { choices } of chunks) {
      for (const { index, delta } of choices) whole[index] += delta.content ?? '';
    }
    expect(whole).toEqual([text, text]);
    const last = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.finish_reason !== null);
    const { tokens } = sampled(text, [IM_END]);
    expect(last).toMatchObject([
      { index: 0, finish_reason: 'stop', token_ids: [...tokens] },
      { index: 1, finish_reason: 'stop', token_ids: [...tokens] },
    ]);
    expect(chunks[0]?.prompt_token_ids).toEqual(PROMPT);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 * tokens.length } });
  });

  it.each([
    [{ messages: [] }, 'messages'],
    [{ ...HELLO, n: 0 }, 'n'],
    [{ ...HELLO, max_tokens: 0 }, 'max_tokens'],
    [{ ...HELLO, frequency_penalty: 0.5 }, 'frequency_penalty'],
    [{ ...HELLO, logit_bias: { 5: 1 } }, 'logit_bias'],
    [{ ...HELLO, top_logprobs: 2, logprobs: true }, 'top_logprobs'],
    [{ ...HELLO, response_format: { type: 'json_object' } }, 'response_format'],
    [{ ...HELLO, tool_choice: 'required' }, 'tool_choice'],
    [{ ...HELLO, stop: '' }, 'stop'],
  ])('refuses %j and names the parameter', async (body, param) => {
    await using own = await bench(say('x'));
    const { status, json } = await own.call('POST', '/v1/chat/completions', body);
    expect(status).toBe(400);
    expect(json().error).toMatchObject({ type: 'invalid_request_error', param, code: 'bad-request' });
  });

  it('takes neutral values of what it does not have', async () => {
    await using own = await bench(say('x'));
    const body = {
      ...HELLO,
      frequency_penalty: 0,
      presence_penalty: null,
      repetition_penalty: 1,
      user: 'me',
      stop: null,
    };
    expect((await own.call('POST', '/v1/chat/completions', body)).status).toBe(200);
  });

  it('shortens a reply to what the model takes, and refuses a prompt that leaves no room', async () => {
    const source = createScriptedSource(say('x'));
    await using own = await kit.bench({ source, maxModelLength: PROMPT.length + 5 });
    await own.call('POST', '/v1/chat/completions', { ...HELLO, max_tokens: 100 });
    expect(source.requests[0]?.maxTokens).toBe(5);
    const long = { messages: [{ role: 'user', content: 'too long' }] };
    expect((await own.call('POST', '/v1/chat/completions', long)).status).toBe(400);
  });

  it('shortens a reply to what the caller takes with the prompt', async () => {
    const source = createScriptedSource(say('x'));
    await using own = await kit.bench({ source });
    const ask = (total: number) =>
      own.call('POST', '/v1/chat/completions', { ...HELLO, max_tokens: 100, max_total_tokens: total });
    await ask(PROMPT.length + 3);
    expect(source.requests[0]?.maxTokens).toBe(3);
    const refused = await ask(PROMPT.length);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`max_total_tokens allows ${PROMPT.length} with the reply`);
  });
});

describe('/v1/completions', () => {
  it('takes texts and ids, one or several', async () => {
    const source = createScriptedSource(say('ok'));
    await using own = await kit.bench({ source });
    const ask = async (prompt: unknown) =>
      (await own.call('POST', '/v1/completions', { prompt, n: 2, logprobs: 1, return_token_ids: true })).json();
    expect(await ask('ab')).toMatchObject({
      object: 'text_completion',
      prompt_token_ids: [97, 98],
      choices: [{ index: 0, text: 'ok', logprobs: { tokens: ['o', 'k', '<|im_end|>'], text_offset: [0, 1, 2] } }, {}],
    });
    expect(await ask([5, 6])).toMatchObject({ prompt_token_ids: [5, 6] });
    const many = await ask([[5], [6, 7]]);
    expect(many.choices.map((choice) => [choice.index, choice.prompt_token_ids])).toEqual([
      [0, [5]],
      [1, [5]],
      [2, [6, 7]],
      [3, [6, 7]],
    ]);
    expect((await own.call('POST', '/v1/completions', { prompt: [], max_tokens: 1 })).status).toBe(400);
  });
});

describe('/generate', () => {
  it('answers in the shape of SGLang', async () => {
    await using own = await bench(say('ok'));
    const reply = (
      await own.call('POST', '/generate', {
        input_ids: [1, 2],
        sampling_params: { max_new_tokens: 4, n: 1, stop: ['k'] },
        return_logprob: true,
      })
    ).json();
    expect(reply).toMatchObject({
      text: 'o',
      output_ids: [...Buffer.from('ok')],
      meta_info: {
        prompt_tokens: 2,
        completion_tokens: 2,
        finish_reason: { type: 'stop', matched: 'k' },
        output_token_logprobs: [
          [-0.5, 111, null],
          [-0.625, 107, null],
        ],
      },
    });
    const list = await own.call('POST', '/generate', { text: 'a', sampling_params: { n: 3 } });
    expect(list.json()).toHaveLength(3);
  });

  it('answers in the shape of vLLM', async () => {
    await using own = await bench(({ promptLogprobs }) => ({
      sequences: [sampled('ok', [IM_END])],
      ...(promptLogprobs === true ? { promptLogprobs: Float32Array.of(Number.NaN, -1) } : {}),
    }));
    const body = { prompt: { prompt_token_ids: [1, 2] }, logprobs: 0, n: 1, max_tokens: 8, prompt_logprobs: 1 };
    expect((await own.call('POST', '/generate', body)).json()).toEqual({
      text: ['ok'],
      prompt_token_ids: [1, 2],
      token_ids: [[111, 107, IM_END]],
      logprobs: [[[{ 111: -0.5 }], [{ 107: -0.625 }], [{ [IM_END]: -0.75 }]]],
      finish_reasons: ['stop'],
      policy_version: 0,
      prompt_logprobs: [null, { 2: -1 }],
    });
  });
});

describe('the station', () => {
  it('answers 429 beyond the requests it takes', async () => {
    const gate = Promise.withResolvers<void>();
    await using own = await bench(
      async () => {
        await gate.promise;
        return { sequences: [sampled('x')] };
      },
      { maxInFlight: 2 },
    );
    const held = [own.call('POST', '/v1/chat/completions', HELLO), own.call('POST', '/v1/chat/completions', HELLO)];
    await expect.poll(async () => (await own.call('GET', '/health')).json().in_flight).toBe(2);
    const refused = await own.call('POST', '/v1/chat/completions', HELLO);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json().error).toMatchObject({ type: 'rate_limit_error' });
    gate.resolve();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('takes any key while no token exists, and none but good ones after', async () => {
    await using fresh = await createInferenceKit();
    await using own = await fresh.bench({ source: createScriptedSource(say('x')) });
    const key = { authorization: 'Bearer sk-anything' };
    expect((await own.call('POST', '/v1/chat/completions', HELLO, key)).status).toBe(200);
    const { token } = await createToken({
      store: fresh.store,
      tenantId: 'a',
      name: 'env',
      scopes: ['inference:call'],
    });
    await expect
      .poll(async () => (await own.call('POST', '/v1/chat/completions', HELLO, key)).status, { timeout: 4_000 })
      .toBe(401);
    const good = { authorization: `Bearer ${token}` };
    expect((await own.call('POST', '/v1/chat/completions', HELLO, good)).status).toBe(200);
    expect((await own.call('POST', '/v1/policy', {}, good)).status).toBe(403);
    const refused = await own.call('POST', '/v1/chat/completions', HELLO, key);
    expect(refused.json().error).toMatchObject({ type: 'authentication_error', param: null });
  });

  it('points calls of other stations to where they belong', async () => {
    await using own = await bench(say('x'), { trajectoryApiUrl: 'http://api:1/' });
    const { status, json } = await own.call('POST', '/scored_data', {});
    expect(status).toBe(404);
    expect(json().error.hint).toBe('Send it to http://api:1/scored_data');
    expect((await own.call('GET', '/runs/7')).json().error.hint).toBe('Send it to http://localhost:8080/runs/7');
    expect(Object.keys((await own.call('GET', '/openapi.json')).json().paths).sort()).toEqual(
      [
        '/generate',
        '/health',
        '/metrics',
        '/openapi.json',
        '/t/{trajectory}/generate',
        '/t/{trajectory}/v1/chat/completions',
        '/t/{trajectory}/v1/completions',
        '/t/{trajectory}/v1/models',
        '/v1/chat/completions',
        '/v1/completions',
        '/v1/models',
        '/v1/policy',
        '/wandb_info',
      ].sort(),
    );
  });

  it('refuses broken headers and bodies', async () => {
    await using own = await bench(say('x'));
    const bad = { 'x-lachesis-rollout-id': 'seven' };
    expect((await own.call('POST', '/v1/chat/completions', HELLO, bad)).status).toBe(400);
    expect((await own.call('POST', '/v1/chat/completions', HELLO, { 'x-lachesis-policy': '-1' })).status).toBe(400);
    expect((await own.call('POST', '/v1/chat/completions')).json().error.message).toBe('the body is not JSON');
  });

  it('counts what it samples', async () => {
    await using own = await bench(say('four'));
    await own.call('POST', '/v1/chat/completions', HELLO);
    const metrics = (await own.call('GET', '/metrics')).text;
    expect(metrics).toContain('lachesis_inference_sampled_tokens_total 5');
    expect(metrics).toContain('lachesis_inference_policy_version 0');
  });
});
