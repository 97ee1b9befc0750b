import { describe, expect, it } from 'vitest';
import { StreamEar } from './hear-stream.ts';
import { hearWhole } from './hear-whole.ts';

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, rest: object = {}, around: object = {}): string =>
  event({ id: '1', model: 'm', choices: [{ index: 0, delta, ...rest }], ...around });

/** Cuts a text into pieces of some bytes, through the middle of characters and lines. */
function hear(text: string, bytes = 7, door: 'chat' | 'completions' | 'generate' = 'chat'): StreamEar {
  const ear = new StreamEar(door);
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) ear.take(all.subarray(at, at + bytes));
  return ear;
}

describe('an ear for streams', () => {
  it('hears the same reply however it is cut', () => {
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
      const ear = hear(text, bytes);
      expect(ear).toMatchObject({ isDone: true, isFinished: true });
      expect(ear.heard).toMatchObject({
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
    expect(hear(text).heard.choices[0]?.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'add', arguments: '{"x": 1.0}' } },
        { id: 'b', type: 'function', function: { name: 'sub', arguments: '{}' } },
      ],
    });
    const whole =
      call({ id: 'a', function: { name: 'f', arguments: '{}' } }) +
      call({ id: 'b', function: { name: 'g', arguments: '{}' } });
    expect(hear(whole).heard.choices[0]?.message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['f', 'g']);
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
    expect(hear(piece([1, 2], [7, 8]) + piece([3])).heard.choices[0]).toMatchObject({
      tokenIds: [1, 2, 3],
      logprobs: [-1, -2, -3],
      promptTokenIds: [7, 8],
    });
  });

  it('keeps several choices apart', () => {
    const text = [1, 0, 1, 0]
      .map((index, at) => event({ choices: [{ index, delta: { content: String(at) } }] }))
      .join('');
    const { choices } = hear(text).heard;
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, '13'],
      [1, '02'],
    ]);
  });

  it('knows a reply that broke off, and an error in the middle', () => {
    const ear = hear(chunk({ content: 'half' }));
    expect(ear).toMatchObject({ isDone: false, isFinished: false });
    expect(ear.heard.choices[0]?.message.content).toBe('half');
    expect(hear(event({ error: { message: 'overloaded', code: 502 } })).error).toEqual({
      message: 'overloaded',
      status: 502,
    });
    expect(hear('data: {"broken\n\ndata: 7\n\n').heard.choices).toEqual([]);
  });

  it('hears completions, and the last event of /generate', () => {
    const text =
      event({ choices: [{ index: 0, text: 'a' }] }) +
      event({ choices: [{ index: 0, text: 'b', finish_reason: 'length' }] });
    expect(hear(text, 5, 'completions').heard.choices[0]).toMatchObject({
      message: { content: 'ab' },
      finishReason: 'length',
    });
    const so = (said: string): string => event({ text: said, meta_info: { prompt_tokens: 1, finish_reason: null } });
    expect(hear(`${so('a')}${so('ab')}data: [DONE]\n\n`, 5, 'generate').heard.choices[0]?.message.content).toBe('ab');
  });
});

describe('an ear for whole replies', () => {
  it('hears chat without what is null', () => {
    const message = {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
    };
    expect(hearWhole('chat', { choices: [{ message, finish_reason: 'tool_calls' }] }).choices[0]).toMatchObject({
      index: 0,
      message: {
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      finishReason: 'tool_calls',
      tokenIds: undefined,
    });
  });

  it('hears both shapes of /generate', () => {
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
    expect(hearWhole('generate', [sglang, sglang])).toMatchObject({
      choices: [{ tokenIds: [1, 2], logprobs: [-0.5, -1], policyVersion: 3, finishReason: 'stop' }, { index: 1 }],
      usage: { prompt_tokens: 4, completion_tokens: 4 },
    });
    const vllm = {
      ...{ text: ['ab'], token_ids: [[1, 2]], prompt_token_ids: [9], finish_reasons: ['stop'] },
      logprobs: [[[{ 1: -0.5 }], [{ 2: -1 }]]],
    };
    expect(hearWhole('generate', vllm)).toMatchObject({
      choices: [{ tokenIds: [1, 2], logprobs: [-0.5, -1], promptTokenIds: [9], message: { content: 'ab' } }],
      usage: { total_tokens: 3 },
    });
  });

  it('hears nothing in what is no reply', () => {
    for (const door of ['chat', 'completions', 'generate'] as const) {
      for (const body of [null, 'x', [], {}, { choices: [null] }])
        expect(hearWhole(door, body).choices.length).toBeLessThan(2);
    }
  });
});
