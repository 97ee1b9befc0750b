import { createRedactor } from '@lachesis/protocol';
import { replyWithImages, type AgentTool } from '@lachesis/sdk/agent';
import { expect, test } from 'vitest';
import { createOutsideTools } from './create-outside-tools.ts';

const tool = (name: string, result: unknown): AgentTool => ({
  ...{ name, description: '', parameters: {} },
  execute: async () => result,
});
const context = { callId: 'a', signal: new AbortController().signal };

test('each call is asked about, a taken name is told apart, and secrets are taken out beside images', async () => {
  const image = { mediaType: 'image/png', data: 'AAAA' };
  const tools = createOutsideTools({
    toolsets: {
      file: [tool('read_file', 'it is hunter2hunter2')],
      vision: [tool('vision_analyze', replyWithImages({ analysis: 'hunter2hunter2' }, [image]))],
      todo: [tool('todo', {})],
    },
    taken: ['read_file'],
    redactor: createRedactor({ secrets: ['hunter2hunter2'] }),
  });
  expect(tools.map(({ name, risk }) => [name, risk])).toEqual([
    ['sandbox_read_file', 'acts'],
    ['vision_analyze', 'acts'],
    ['todo', undefined],
  ]);
  expect(await tools[0]?.execute({}, context)).not.toContain('hunter2');
  const seen = (await tools[1]?.execute({}, context)) as ReturnType<typeof replyWithImages>;
  expect([JSON.stringify(seen.result).includes('hunter2'), seen.images]).toEqual([false, [image]]);
});
