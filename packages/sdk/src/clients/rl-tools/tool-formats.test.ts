import { RL_TOOL_NAMES } from '@lachesis/protocol';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { aRun, stubControl } from './control-stub.fixture.ts';
import { createRlTools } from './create-rl-tools.ts';
import { answerOpenAiToolCall, toAiSdkTools, toOpenAiTools } from './tool-formats.ts';

const tools = () => createRlTools(stubControl({ 'GET /runs/a1b2c3d4': aRun() }));

test('OpenAI is offered ten functions with plain schemas', () => {
  const offered = toOpenAiTools(tools());
  expect(offered.map((tool) => tool.function.name)).toEqual([...RL_TOOL_NAMES]);
  expect(offered[1]).toEqual({
    type: 'function',
    function: {
      name: 'rl_select_environment',
      description: expect.any(String) as string,
      parameters: {
        type: 'object',
        properties: {
          name: {
            type: 'string',
            minLength: 1,
            description: 'Name of an environment as rl_list_environments gave it.',
          },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
  });
  expect(JSON.stringify(offered)).not.toMatch(/\$ref|\$schema/);
});

test('a tool call of OpenAI is answered with a message, whatever its arguments are', async () => {
  const all = tools();
  const call = (name: string, text: string) =>
    answerOpenAiToolCall(all, { id: 'call-1', function: { name, arguments: text } });
  const good = await call('rl_check_status', '{"run_id":"a1b2c3d4"}');
  expect(good).toMatchObject({ role: 'tool', tool_call_id: 'call-1' });
  expect(JSON.parse(good.content)).toMatchObject({ status: 'running' });
  for (const [name, text] of [
    ['rl_check_status', '{"run_id":'],
    ['rl_check_status', '[]'],
    ['rl_check_status', ''],
    ['constructor', '{}'],
  ] as const) {
    expect(JSON.parse((await call(name, text)).content), `${name} ${text}`).toHaveProperty('error');
  }
});

test('the AI SDK calls them as its own tools', async () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let turn = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      turn += 1;
      return turn === 1
        ? {
            content: [
              { type: 'tool-call', toolCallId: '1', toolName: 'rl_check_status', input: '{"run_id":"a1b2c3d4"}' },
            ],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'text', text: 'It runs.' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          };
    },
  });
  const { text, steps } = await generateText({
    model,
    tools: toAiSdkTools(tools()),
    prompt: 'How is it?',
    stopWhen: stepCountIs(3),
  });
  expect(text).toBe('It runs.');
  expect(JSON.stringify(steps[0]?.toolResults)).toContain('\\"status\\": \\"running\\"');
});
