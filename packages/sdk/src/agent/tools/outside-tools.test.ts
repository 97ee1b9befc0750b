import { expect, test } from 'vitest';
import { terminalTool } from './terminal-tool.ts';
import { createMcpTools } from './create-mcp-tools.ts';
import { createWebTools } from './web/create-web-tools.ts';
import { toAiSdkAgentTools } from './to-ai-sdk-agent-tools.ts';

const context = { callId: 'a', signal: new AbortController().signal };

test('the tools of an MCP server are a toolset, page after page', async () => {
  const called: unknown[] = [];
  const tools = await createMcpTools({
    prefix: 'files',
    client: {
      listTools: async ({ cursor } = {}) =>
        cursor === undefined
          ? {
              tools: [
                {
                  name: 'read.it',
                  description: 'Reads.',
                  inputSchema: { $schema: 'x', type: 'object', properties: {} },
                },
              ],
              nextCursor: 'b',
            }
          : { tools: [{ name: 'fail', inputSchema: { type: 'object' } }] },
      callTool: async (params) => {
        called.push(params);
        return params.name === 'fail'
          ? { isError: true, content: [{ type: 'text', text: 'no' }] }
          : { content: [{ type: 'text', text: 'yes' }, { type: 'image' }] };
      },
    },
  });
  expect(tools.map(({ name, parameters }) => [name, parameters])).toEqual([
    ['files_read_it', { type: 'object', properties: {} }],
    ['files_fail', { type: 'object' }],
  ]);
  expect(await tools[0]!.execute({ a: 1 }, context)).toBe('yes\n[image]');
  expect(called).toEqual([{ name: 'read.it', arguments: { a: 1 } }]);
  await expect(tools[1]!.execute({}, context)).rejects.toMatchObject({ answer: '{"error":"no"}' });
});

test('web tools are those the provider can do', async () => {
  expect(createWebTools({})).toEqual([]);
  const [search, extract] = createWebTools({
    search: async (query, { limit }) => Array.from({ length: limit + 3 }, () => ({ title: query, url: 'https://a' })),
    extract: async (url) => {
      if (url.endsWith('gone')) throw new Error('404');
      return 'text';
    },
  });
  expect(await search!.execute({ query: 'q', limit: 2 }, context)).toMatchObject({ results: [{ title: 'q' }, {}] });
  expect(await extract!.execute({ urls: ['https://a/x', 'https://a/gone'] }, context)).toEqual({
    pages: [
      { url: 'https://a/x', content: 'text' },
      { url: 'https://a/gone', error: '404' },
    ],
  });
  await expect(extract!.execute({ urls: ['file:///etc/passwd'] }, context)).rejects.toThrow('do not fit');
});

test('the AI SDK gets the same tools', async () => {
  const tools = toAiSdkAgentTools([terminalTool], { jsonSchema: (schema) => ({ jsonSchema: schema }) });
  expect(tools['terminal']).toMatchObject({
    description: terminalTool.description,
    inputSchema: { jsonSchema: terminalTool.parameters },
  });
  await expect(tools['terminal']!.execute({ command: 'ls' }, { toolCallId: 'x' })).rejects.toThrow('no sandbox');
});
