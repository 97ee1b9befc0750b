import { expect, test } from 'vitest';
import type { AgentModel } from './agent-model.ts';
import type { AgentTool } from './agent-tool.ts';
import { runAgent } from './run-agent.ts';
import { hideToolImages, replyWithImages } from './tool-reply.ts';
import { createToolRun, keepByRun } from './tool-run.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'draw', arguments: '{}' } });

/** Asks for the tool twice, then answers. */
const askTwice =
  (): AgentModel =>
  async ({ messages }) => {
    const turns = messages.filter(({ role }) => role === 'assistant').length;
    return turns < 2
      ? { message: { role: 'assistant', content: null, tool_calls: [call(`c${turns}`)] }, finishReason: 'tool_calls' }
      : { message: { role: 'assistant', content: 'done' }, finishReason: 'stop' };
  };

test('a tool remembers within an agent, forgets with it, and lets go at its end', async () => {
  const counter = keepByRun(() => ({ calls: 0 }));
  const ended: number[] = [];
  const draw: AgentTool = {
    ...{ name: 'draw', description: '', parameters: {} },
    execute: async (_args, { run }) => {
      const state = counter(run);
      state.calls += 1;
      if (state.calls === 1) run?.onEnd(() => void ended.push(state.calls));
      return replyWithImages({ calls: state.calls }, [{ mediaType: 'image/png', data: 'AAAA' }]);
    },
  };
  for (const _each of [1, 2]) {
    const { messages } = await runAgent({
      model: askTwice(),
      tools: [draw],
      messages: [{ role: 'user', content: 'Draw.' }],
    });
    const answers = messages.filter(({ role }) => role === 'tool');
    expect(answers.map(({ content }) => content)).toEqual(
      [1, 2].map((calls) => [
        { type: 'text', text: `{"calls":${calls}}` },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ]),
    );
    // A server gets the text alone.
    expect(hideToolImages(messages).filter(({ role }) => role === 'tool')[1]?.content).toBe('{"calls":2}');
  }
  expect(ended).toEqual([2, 2]);
});

test('every cleanup runs once, also where another fails or comes late', async () => {
  const run = createToolRun();
  const ran: string[] = [];
  run.onEnd(() => void ran.push('first'));
  run.onEnd(() => {
    throw new Error('stuck');
  });
  await expect(run.end()).rejects.toThrow('stuck');
  await expect(run.end()).rejects.toThrow('stuck');
  run.onEnd(() => void ran.push('late'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toEqual(['first', 'late']);
});
