import { describe, expect, it } from 'vitest';
import { collectReply } from './collect-reply.ts';
import type { CallEndpoint, CallOutcome } from './collected-reply.ts';
import { createReplyCollector, type ReplyCollector } from './create-reply-collector.ts';

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, rest: object = {}, around: object = {}): string =>
  event({ id: '1', model: 'm', choices: [{ index: 0, delta, ...rest }], ...around });

/** Cuts a text into pieces of some bytes, through the middle of characters and lines. */
function collect(text: string, bytes = 7, endpoint: CallEndpoint = 'chat'): ReplyCollector {
  const collector = createReplyCollector({ endpoint, status: 200, contentType: 'text/event-stream' });
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) collector.add(all.subarray(at, at + bytes));
  return collector;
}

const ended = (text: string, bytes?: number, endpoint?: CallEndpoint): CallOutcome =>
  collect(text, bytes, endpoint).end();

const messageOf = (text: string) => ended(text).reply.choices[0]?.message;

/** A reply in one piece. */
function whole(body: unknown, status = 200, endpoint: CallEndpoint = 'chat'): CallOutcome {
  const collector = createReplyCollector({ endpoint, status, contentType: 'application/json' });
  collector.add(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  return collector.end();
}

describe('a collector of streams', () => {
  it('reads the same reply however it is cut', () => {
    const text =
      `: keep-alive\n\n${chunk({ role: 'assistant', content: '' })}${chunk({ reasoning_content: 'h\u00e9' })}` +
      `${chunk({ content: 'a \u{1F9F5}' })}${chunk({ content: ' b' })}${chunk({}, { finish_reason: 'stop' })}` +
      event({
        model: 'm',
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.1 },
      }) +
      `data: [DONE]\n\n`;
    for (const bytes of [1, 2, 3, 7, 64, 10_000]) {
      const collector = collect(text, bytes);
      expect(collector.isDone).toBe(true);
      const outcome = collector.end();
      expect(outcome).toMatchObject({ state: 'complete', error: null });
      expect(outcome.reply).toMatchObject({
        choices: [
          {
            index: 0,
            finishReason: 'stop',
            message: { role: 'assistant', content: 'a \u{1F9F5} b', reasoning_content: 'h\u00e9' },
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        cost: 0.1,
        model: 'm',
      });
    }
  });

  it('puts tool calls together, side by side and without an index', () => {
    const call = (piece: object): string => chunk({ tool_calls: [piece] });
    const text =
      call({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '' } }) +
      call({ index: 0, function: { arguments: '{"x":' } }) +
      call({ index: 1, id: 'b', function: { name: 'sub', arguments: '{}' } }) +
      call({ index: 0, function: { arguments: ' 1.0}' } });
    expect(messageOf(text)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'add', arguments: '{"x": 1.0}' } },
        { id: 'b', type: 'function', function: { name: 'sub', arguments: '{}' } },
      ],
    });
    const apart =
      call({ id: 'a', function: { name: 'f', arguments: '{}' } }) +
      call({ id: 'b', function: { name: 'g', arguments: '{}' } });
    expect(messageOf(apart)?.tool_calls?.map(({ function: { name } }) => name)).toEqual(['f', 'g']);
  });

  it('joins the ids and logprobs of pieces, as vLLM sends them', () => {
    const piece = (ids: number[], prompt?: number[]): string =>
      event({
        ...(prompt === undefined ? {} : { prompt_token_ids: prompt }),
        choices: [
          {
            ...{ index: 0, delta: { content: 'x' }, token_ids: ids },
            logprobs: { content: ids.map((id) => ({ token: 'x', logprob: -id })) },
          },
        ],
      });
    expect(ended(piece([1, 2], [7, 8]) + piece([3])).reply.choices[0]).toMatchObject({
      tokenIds: [1, 2, 3],
      logprobs: [-1, -2, -3],
      promptTokenIds: [7, 8],
    });
  });

  it('keeps several choices apart', () => {
    const text = [1, 0, 1, 0]
      .map((index, at) => event({ choices: [{ index, delta: { content: String(at) } }] }))
      .join('');
    const { choices } = ended(text).reply;
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, '13'],
      [1, '02'],
    ]);
  });

  it('knows a reply that broke off, and an error in the middle', () => {
    const collector = collect(chunk({ content: 'half' }));
    expect(collector.isDone).toBe(false);
    expect(collector.end()).toMatchObject({
      state: 'interrupted',
      reply: { choices: [{ message: { content: 'half' } }] },
      error: { message: 'the upstream ended the stream before the reply' },
    });
    expect(ended(event({ error: { message: 'overloaded', code: 502 } }))).toMatchObject({
      state: 'interrupted',
      error: { message: 'overloaded', status: 502 },
    });
    expect(ended('event: error\ndata: {"message":"no"}\n\n').error).toEqual({ message: 'no', status: null });
    expect(ended('data: {"broken\n\ndata: 7\n\n').reply.choices).toEqual([]);
  });

  it('reads completions, and the last event of /generate', () => {
    const text =
      event({ choices: [{ index: 0, text: 'a' }] }) +
      event({ choices: [{ index: 0, text: 'b', finish_reason: 'length' }] });
    expect(ended(text, 5, 'completions').reply.choices[0]).toMatchObject({
      message: { content: 'ab' },
      finishReason: 'length',
    });
    const so = (said: string): string => event({ text: said, meta_info: { prompt_tokens: 1, finish_reason: null } });
    expect(ended(`${so('a')}${so('ab')}data: [DONE]\n\n`, 5, 'generate').reply.choices[0]?.message.content).toBe('ab');
  });
});

describe('tool calls as servers stream them', () => {
  const calls = (...pieces: object[]) =>
    messageOf(pieces.map((piece) => chunk({ tool_calls: [piece] })).join(''))?.tool_calls?.map(
      ({ id, function: { name, arguments: text } }) => [id, name, text],
    );
  const piece = (name: string | undefined, written: unknown, rest: object = {}): object => ({
    ...rest,
    function: { ...(name === undefined ? {} : { name }), arguments: written },
  });

  it('one call in several pieces by its id, without an index', () => {
    expect(calls(piece('f', '{"a"', { id: 'a' }), piece(undefined, ':1}', { id: 'a' }))).toEqual([
      ['a', 'f', '{"a":1}'],
    ]);
    expect(calls(piece('f', '{"a"', { id: 'a' }), piece(undefined, ':1}'))).toEqual([['a', 'f', '{"a":1}']]);
  });

  it('several without an index and an id, each whole', () => {
    expect(calls(piece('f', '{}'), piece('f', '{}'))).toEqual([
      [undefined, 'f', '{}'],
      [undefined, 'f', '{}'],
    ]);
  });

  it('arguments as an object', () => {
    expect(calls(piece('f', { a: 1 }, { id: 'a' }), piece('g', { b: 2 }, { id: 'b' }))).toEqual([
      ['a', 'f', '{"a":1}'],
      ['b', 'g', '{"b":2}'],
    ]);
  });

  it('two that have one index', () => {
    expect(calls(piece('f', '{}', { index: 0, id: 'a' }), piece('f', '{}', { index: 0, id: 'b' }))).toEqual([
      ['a', 'f', '{}'],
      ['b', 'f', '{}'],
    ]);
  });

  it('a name and an id that every piece repeats', () => {
    expect(calls(piece('f', '{"a"', { index: 0, id: 'a' }), piece('f', ':1}', { index: 0, id: 'a' }))).toEqual([
      ['a', 'f', '{"a":1}'],
    ]);
  });
});

describe('the usage of a call', () => {
  const usageOf = (body: object) => ended(event({ choices: [], ...body })).reply.usage;
  const counted = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

  it.each([
    ['as chat has it', { usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }],
    ['without a total', { usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    ['with a total and one side', { usage: { total_tokens: 4, completion_tokens: 1 } }],
    ['as responses have it', { usage: { input_tokens: 3, output_tokens: 1 } }],
    ['as the AI SDK has it', { usage: { inputTokens: { total: 3 }, outputTokens: { total: 1 } } }],
    ['as the AI SDK had it', { usage: { promptTokens: 3, completionTokens: 1 } }],
    ['in a field of Groq', { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 1 } } }],
    ['in a choice', { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 3, completion_tokens: 1 } }] }],
  ])('is read %s', (_name, body) => expect(usageOf(body)).toEqual(counted));

  it('is unknown and not zero where nobody says it', () => {
    for (const usage of [null, undefined, {}, { total_tokens: 4 }, { prompt_tokens: 'three' }])
      expect(usageOf({ usage })).toBeUndefined();
  });
});

describe('a collector of whole replies', () => {
  it('knows a refusal, an error that comes with 200, and what is no JSON', () => {
    const said = { error: { message: 'no such model' } };
    expect(whole(said, 404)).toMatchObject({ state: 'failed', error: { message: 'no such model', status: 404 } });
    expect(whole(said)).toMatchObject({ state: 'failed', error: { message: 'no such model' } });
    expect(whole('<html>')).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('not JSON') } });
  });

  it('takes an empty text beside calls for none', () => {
    const message = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
    };
    expect(whole({ choices: [{ message }] }).reply.choices[0]?.message.content).toBeNull();
  });

  it('reads chat without what is null', () => {
    const message = {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
    };
    expect(collectReply('chat', { choices: [{ message, finish_reason: 'tool_calls' }] }).choices[0]).toMatchObject({
      index: 0,
      message: {
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      finishReason: 'tool_calls',
      tokenIds: undefined,
    });
  });

  it('reads both shapes of /generate', () => {
    const sglang = {
      text: 'ab',
      output_ids: [1, 2],
      meta_info: {
        ...{ prompt_tokens: 4, completion_tokens: 2, policy_version: 3, finish_reason: { type: 'stop' } },
        output_token_logprobs: [
          [-0.5, 1, null],
          [-1, 2, null],
        ],
      },
    };
    expect(collectReply('generate', [sglang, sglang])).toMatchObject({
      choices: [{ tokenIds: [1, 2], logprobs: [-0.5, -1], policyVersion: 3, finishReason: 'stop' }, { index: 1 }],
      usage: { prompt_tokens: 4, completion_tokens: 4 },
    });
    const vllm = {
      ...{ text: ['ab'], token_ids: [[1, 2]], prompt_token_ids: [9], finish_reasons: ['stop'] },
      logprobs: [[[{ 1: -0.5 }], [{ 2: -1 }]]],
    };
    expect(collectReply('generate', vllm)).toMatchObject({
      choices: [{ tokenIds: [1, 2], logprobs: [-0.5, -1], promptTokenIds: [9], message: { content: 'ab' } }],
      usage: { total_tokens: 3 },
    });
  });

  it('reads nothing in what is no reply', () => {
    for (const endpoint of ['chat', 'completions', 'responses', 'generate'] as const) {
      for (const body of [null, 'x', [], {}, { choices: [null] }])
        expect(collectReply(endpoint, body).choices.length).toBeLessThan(2);
    }
  });
});
