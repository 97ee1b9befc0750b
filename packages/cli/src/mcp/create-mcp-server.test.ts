import { RL_TOOL_NAMES } from '@lachesis/protocol';
import { createControlClient, createLibraryClient, createRlTools } from '@lachesis/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test } from 'vitest';
import { createMcpServer } from './create-mcp-server.ts';
import { startFakeControl, type FakeControlOptions } from './fake-control.fixture.ts';

const skills = {
  list: async () => [{ name: 'author-an-environment', description: 'How to write one.' }],
  read: async (name: string) => (name === 'author-an-environment' ? '# Write one' : undefined),
};

async function connect(options: FakeControlOptions = {}) {
  const control = await startFakeControl(options);
  const client = createControlClient({ url: control.url, retryForMs: 0 });
  const library = createLibraryClient({ url: control.url, retryForMs: 0 });
  const tools = createRlTools({ client });
  const server = createMcpServer({ client, library, tools, skills, version: '1', tickMs: 20 });
  const agent = new Client({ name: 'test', version: '1' });
  const [left, right] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(left), agent.connect(right)]);
  return {
    control,
    agent,
    async [Symbol.asyncDispose]() {
      await agent.close();
      await control[Symbol.asyncDispose]();
    },
  };
}

const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  rl_select_environment: { name: 'digits' },
  rl_edit_config: { field: 'group_size', value: 8 },
  rl_check_status: { run_id: 'a1b2c3d4' },
  rl_stop_training: { run_id: 'a1b2c3d4' },
  rl_get_results: { run_id: 'a1b2c3d4' },
  rl_test_inference: { prompts: ['2+2?'] },
  improve_start: { model: 'support' },
  improve_stop: { improvement_id: 'i1' },
  env_source: { name: 'digits' },
  env_check: { name: 'digits' },
};
const FURTHER = ['improve_start', 'improve_stop', 'env_source', 'env_check', 'rl_health_check'];

test('ten tools, those of improvements and those of environments are listed with schemas, and what they may do', async () => {
  await using bench = await connect();
  const { tools } = await bench.agent.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...RL_TOOL_NAMES, ...FURTHER]);
  expect(
    tools.every(({ inputSchema, outputSchema }) => inputSchema.type === 'object' && outputSchema !== undefined),
  ).toBe(true);
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints['rl_stop_training']).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  expect(hints['rl_check_status']).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  expect(hints['rl_start_training']).toMatchObject({ readOnlyHint: false, idempotentHint: false, openWorldHint: true });
});

test('every tool answers with text and with the same value as structure', async () => {
  await using bench = await connect();
  await bench.agent.listTools();
  for (const name of ['rl_start_training', ...RL_TOOL_NAMES, ...FURTHER]) {
    const reply = await bench.agent.callTool({ name, arguments: ARGUMENTS[name] ?? {} });
    const [content] = reply.content as { type: string; text: string }[];
    expect([name, reply.isError], content?.text).toEqual([name, undefined]);
    expect(JSON.parse(content?.text ?? '')).toEqual(reply.structuredContent);
    expect(content?.text).toContain('\n  "');
  }
});

test('what goes wrong is an answer that names the thing, and the session goes on', async () => {
  await using bench = await connect();
  const call = async (name: string, args: Record<string, unknown>) => {
    const reply = await bench.agent.callTool({ name, arguments: args });
    const [content] = reply.content as { text: string }[];
    expect(reply.isError).toBe(true);
    return (JSON.parse(content?.text ?? '') as { error: string }).error;
  };
  expect(await call('rl_select_environment', { name: 'nobody' })).toContain('Available: digits');
  expect(await call('rl_edit_config', { field: 'lora_rank', value: 8 })).toContain('lora_rank is locked');
  expect(await call('rl_check_status', {})).toContain('run_id');
  expect(await call('env_source', {})).toContain('env_source takes name');
  expect(await call('rl_sing', {})).toContain('There is no tool rl_sing');
});

test('a long test tells how far it is, with numbers that rise', async () => {
  await using bench = await connect({ testReads: 2 });
  const reported: number[] = [];
  const sentences: (string | undefined)[] = [];
  const reply = await bench.agent.callTool({ name: 'rl_test_inference', arguments: {} }, undefined, {
    onprogress: ({ progress, message }) => {
      reported.push(progress);
      sentences.push(message);
    },
  });
  expect(reply.structuredContent).toMatchObject({ status: 'completed' });
  expect(reported.length).toBeGreaterThan(3);
  expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  expect(sentences).toContain('replies come in (0 done)');
});

test('a call that its client gives up is given up here too', async () => {
  await using bench = await connect({ testReads: 1_000 });
  const giveUp = new AbortController();
  const call = bench.agent.callTool({ name: 'rl_test_inference', arguments: {} }, undefined, { signal: giveUp.signal });
  await expect.poll(() => bench.control.calls.length).toBe(1);
  giveUp.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(bench.control.calls).toEqual(['POST /test/inference']);
});

test('logs, metrics and skills are resources', async () => {
  await using bench = await connect();
  await bench.agent.callTool({ name: 'rl_start_training', arguments: {} });
  const { resources } = await bench.agent.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'lachesis://runs',
    'lachesis://models',
    'lachesis://improvements',
    'lachesis://jobs',
    'lachesis://datasets',
    'lachesis://feedback/agreement',
    'lachesis://runs/a1b2c3d4/logs/api',
    'lachesis://runs/a1b2c3d4/logs/trainer',
    'lachesis://runs/a1b2c3d4/logs/env',
    'lachesis://runs/a1b2c3d4/metrics',
    'lachesis://skills/author-an-environment',
  ]);
  const read = async (uri: string) => {
    const { contents } = await bench.agent.readResource({ uri });
    return (contents[0] as { text: string }).text;
  };
  expect(await read('lachesis://runs/a1b2c3d4/logs/env')).toBe('env begins\né');
  expect(JSON.parse(await read('lachesis://runs/a1b2c3d4/metrics'))).toMatchObject({ run_id: 'a1b2c3d4' });
  const why = JSON.parse(await read('lachesis://runs/a1b2c3d4/why')) as unknown;
  expect(why).toMatchObject({ learning: [{ cause: 'no-reward', command: 'lachesis train warm-up' }] });
  expect(await read('lachesis://skills/author-an-environment')).toBe('# Write one');
  await expect(read('lachesis://skills/nothing')).rejects.toMatchObject({ code: -32_002 });
  await expect(read('lachesis://runs/nobody00/metrics')).rejects.toMatchObject({ code: -32_002 });
  await expect(read('lachesis://runs/a1b2c3d4/logs/cook')).rejects.toThrow(/api, trainer, env/);
});

test('what an improvement cannot be begun or ended with is an answer', async () => {
  await using bench = await connect();
  const call = async (name: string, args: Record<string, unknown>) => {
    const reply = await bench.agent.callTool({ name, arguments: args });
    return [reply.isError, JSON.stringify(reply.content)];
  };
  expect(await call('improve_start', {})).toEqual([true, expect.stringContaining('model')]);
  expect(await call('improve_start', { model: 'm', seed: -1 })).toEqual([true, expect.stringContaining('seed')]);
  expect(await call('improve_stop', {})).toEqual([true, expect.stringContaining('improvement_id')]);
  expect(await call('improve_stop', { improvement_id: 'nobody' })).toEqual([true, expect.stringContaining('nobody')]);
  expect(bench.control.calls).toEqual(['POST /improvements/nobody/stop']);
});

test('models and lineage are resources', async () => {
  await using bench = await connect();
  const read = async (uri: string): Promise<unknown> => {
    const { contents } = await bench.agent.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  expect(await read('lachesis://models')).toMatchObject({ models: [{ name: 'support', is_promoted: true }] });
  expect(await read('lachesis://models/support%401')).toMatchObject({ model: { version: 1 } });
  expect(await read('lachesis://lineage/model%3Asupport%401')).toMatchObject({ from: { kind: 'model', id: 'm1' } });
  expect(await read('lachesis://improvements')).toEqual({ improvements: [] });
  expect(await read('lachesis://improvements/i1')).toMatchObject({ model: 'support', state: 'waiting' });
  await expect(read('lachesis://improvements/nobody')).rejects.toMatchObject({ code: -32_002 });
  await expect(read('lachesis://models/nobody')).rejects.toMatchObject({ code: -32_002 });
  expect(bench.control.calls).toContain('GET /lineage/model%3Asupport%401');
});

test('jobs are resources', async () => {
  await using bench = await connect();
  const read = async (uri: string): Promise<unknown> => {
    const { contents } = await bench.agent.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  expect(await read('lachesis://jobs')).toMatchObject({
    jobs: [{ name: 'my_run', counts: { failed: 1 } }],
    next: null,
  });
  expect(await read('lachesis://jobs/my_run')).toMatchObject({ failures: [{ index: 2, reason: 'away' }] });
  await expect(read('lachesis://jobs/nobody')).rejects.toMatchObject({ code: -32_002 });
  expect(bench.control.calls).toContain('GET /jobs/nobody');
});

test('data sets and the agreement of judges are resources', async () => {
  await using bench = await connect();
  const read = async (uri: string): Promise<unknown> => {
    const { contents } = await bench.agent.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  expect(await read('lachesis://datasets')).toMatchObject({ datasets: [{ name: 'support', row_count: 3 }] });
  expect(await read('lachesis://datasets/support%401')).toMatchObject({ version: 1 });
  expect(await read('lachesis://datasets/support%401/check')).toMatchObject({ trainable_count: 3 });
  expect(await read('lachesis://feedback/agreement')).toEqual({ by: 'judge', agreement: [] });
  await expect(read('lachesis://datasets/nobody')).rejects.toMatchObject({ code: -32_002 });
  await expect(read('lachesis://datasets/nobody/check')).rejects.toMatchObject({ code: -32_002 });
});

test('each skill is a prompt, with the task that is given', async () => {
  await using bench = await connect();
  const { prompts } = await bench.agent.listPrompts();
  expect(prompts).toMatchObject([{ name: 'author-an-environment', arguments: [{ name: 'task', required: false }] }]);
  const ask = (name: string, task?: string) =>
    bench.agent.getPrompt({ name, ...(task === undefined ? {} : { arguments: { task } }) });
  const { messages } = await ask('author-an-environment', 'sort words');
  expect(messages.map(({ content }) => content)).toEqual([
    { type: 'text', text: 'Follow this guide.\n\n# Write one' },
    { type: 'text', text: 'The task: sort words' },
  ]);
  expect((await ask('author-an-environment')).messages).toHaveLength(1);
  await expect(ask('nothing')).rejects.toMatchObject({ code: -32_602 });
});

test('without a control server skills are listed, and tools say how to start it', async () => {
  await using bench = await connect();
  await bench.control[Symbol.asyncDispose]();
  const { resources } = await bench.agent.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'lachesis://runs',
    'lachesis://models',
    'lachesis://improvements',
    'lachesis://jobs',
    'lachesis://datasets',
    'lachesis://feedback/agreement',
    'lachesis://skills/author-an-environment',
  ]);
  const reply = await bench.agent.callTool({ name: 'rl_list_runs', arguments: {} });
  expect(JSON.stringify(reply.content)).toContain('lachesis up');
});
