import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { SandboxError } from '../../sandbox/sandbox-error.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { readDefinition } from '../environment.ts';
import { evaluateEnvironment } from '../runner/evaluate-environment.ts';
import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import { checkEnvironment } from '../check/check-environment.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import { countIds, never } from '../testing/toy-environment.fixture.ts';
import { AgentEnvironment } from './agent-environment.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentRolloutResult } from './agent-result.ts';
import { measureAgents } from './measure-agents.ts';
import { defineAgentEnvironment, type AgentEnvironmentSpec } from './define-agent-environment.ts';
import { createMemorySandboxes, type MemorySandboxes } from './testing/memory-sandboxes.fixture.ts';
import { call, runGroup } from './testing/run-agent-group.fixture.ts';
import { textOf } from '../policy/read-completions.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});

type Item = { a: number; b: number };
type Spec = AgentEnvironmentSpec<Item, z.ZodObject, undefined>;

const sum = (spec: Partial<Spec> = {}): EnvironmentDefinition =>
  defineAgentEnvironment<Item>({
    name: 'sum',
    items: { train: [{ a: 20, b: 22 }], evaluation: [{ a: 1, b: 2 }] },
    tools: [add],
    formatPrompt: ({ a, b }) => `${a} and ${b}`,
    computeReward: ({ a, b }, { finalResponse }) => (finalResponse === String(a + b) ? 1 : 0),
    ...spec,
  });

const useTool = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const last = messages.at(-1)!;
  return last.role === 'tool' ? String(last.content) : call('add', { a: 20, b: 22 });
};

const shell = (): MemorySandboxes =>
  createMemorySandboxes((command, files) => {
    if (command.startsWith('make ')) files.set(command.slice(5), 'made');
    if (command === 'fail') return { output: 'no', exitCode: 1 };
    return [...files.keys()].join(' ');
  });

test('a rollout is the loop of model and tools, and one row of what was sampled', async () => {
  const [rollout] = await runGroup({ definition: sum(), policy: useTool });
  expect(rollout).toMatchObject({
    outcome: { kind: 'scored', reward: 1 },
    result: {
      turnsUsed: 2,
      finishedNaturally: true,
      stopReason: 'answered',
      finalResponse: '42',
      toolsUsed: ['add'],
      toolErrors: [],
      parseFailures: 0,
    },
  });
  const { result, sequences } = rollout!;
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(result.turns.map(({ isFork, isMasked }) => [isFork, isMasked])).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(sequences).toHaveLength(1);
  const [{ tokens, isSampled, logprobs }] = sequences as [(typeof sequences)[number]];
  const sampled = [...tokens].filter((_, index) => isSampled[index] === 1);
  expect(sampled).toEqual(result.turns.flatMap((turn) => [...turn.tokens]));
  expect([...logprobs].filter((_, index) => isSampled[index] === 1)).toEqual(sampled.map(() => -0.5));
});

test.each([
  ['max-turns', { max_agent_turns: 3 }, 3],
  ['max-calls', { max_tool_calls: 2 }, 2],
  ['max-tokens', { max_agent_tokens: 3 }, 3],
] as const)('a model that only calls ends at %s', async (stopReason, flags, turns) => {
  const [rollout] = await runGroup({ definition: sum(), policy: () => call('add', { a: 1, b: 1 }), flags });
  expect(rollout!.result).toMatchObject({ stopReason, turnsUsed: turns, finishedNaturally: false });
  expect(rollout!.outcome).toEqual({ kind: 'scored', reward: 0 });
});

test('no reply may be longer than what is left to sample', async () => {
  const most: number[] = [];
  const policy = ({ maxTokens }: { maxTokens: number }) => {
    most.push(maxTokens);
    return call('add', { a: 1, b: 1 }, 'four');
  };
  await runGroup({ definition: sum(), policy, flags: { max_agent_tokens: 12, max_completion_tokens: 10 } });
  expect(most).toEqual([10, 7, 2]);
});

test('a sequence that is full ends the rollout', async () => {
  const [rollout] = await runGroup({
    definition: sum(),
    policy: () => call('add', { a: 1, b: 1 }, 'x'.repeat(50)),
    flags: { max_token_length: 160 },
  });
  expect(rollout!.result.stopReason).toBe('max-tokens');
});

test('a deadline stops the agent, which is graded on what it did', async () => {
  const slow = { ...add, execute: async () => new Promise<never>(() => {}) };
  const [rollout] = await runGroup({
    definition: sum({ tools: [slow] }),
    policy: useTool,
    flags: { agent_timeout: 0.05 },
  });
  expect(rollout).toMatchObject({
    result: { stopReason: 'deadline', turnsUsed: 1 },
    outcome: { kind: 'scored', reward: 0 },
  });
});

test('a tool that fails, is unknown or is called wrongly is told to the model and listed', async () => {
  const replies = [call('add', { a: 'x' }), call('no_such', {}), call('add', { a: 1, b: 1 }), 'given up'];
  const [rollout] = await runGroup({
    definition: sum(),
    policy: ({ messages }) => replies[messages.filter(({ role }) => role === 'assistant').length]!,
  });
  const { toolErrors, messages } = rollout!.result;
  expect(toolErrors).toHaveLength(2);
  expect(textOf(messages[2]?.content)).toContain('do not fit');
  expect(textOf(messages[4]?.content)).toContain('There is no tool');
});

test('a call that cannot be read is corrected, counted, and trained on unless it is masked', async () => {
  const policy = ({ messages }: { messages: readonly unknown[] }) =>
    messages.length === 1 ? '<tool_call>{"name": "add", "argu' : '42';
  const [plain] = await runGroup({ definition: sum(), policy, flags: { parse_failure_penalty: 0.25 } });
  expect(plain!.result).toMatchObject({ parseFailures: 1, stopReason: 'answered', turnsUsed: 2 });
  expect(plain!.result.messages[2]).toMatchObject({
    role: 'user',
    content: expect.stringContaining('could not be read'),
  });
  expect(plain!.outcome).toMatchObject({ reward: 0.75, marks: ['parse-failure-penalty'] });
  const [masked] = await runGroup({ definition: sum(), policy, flags: { mask_parse_failures: true } });
  const count = ({ sequences }: NonNullable<typeof plain>): number =>
    sequences.reduce((all, { isSampled }) => all + isSampled.reduce((part, one) => part + one, 0), 0);
  expect(count(masked!)).toBe(3);
  expect(count(plain!)).toBe(3 + masked!.result.turns[0]!.tokens.length);
});

test('too many calls that cannot be read end the rollout', async () => {
  const policy = () => '<tool_call>{';
  const [ended] = await runGroup({ definition: sum(), policy, flags: { parse_failure: 'end' } });
  expect(ended!.result).toMatchObject({ stopReason: 'parse-failures', turnsUsed: 1 });
  const [tried] = await runGroup({ definition: sum(), policy, flags: { max_parse_failures: 2 } });
  expect(tried!.result).toMatchObject({ stopReason: 'parse-failures', turnsUsed: 3 });
});

test('a server that leaves calls in the text is read by the format of the configuration', async () => {
  const [rollout] = await runGroup({
    definition: sum(),
    policy: ({ messages }) =>
      messages.length === 1 ? '<tool_call>{"name": "add", "arguments": {"a": 20, "b": 22}}</tool_call>' : '42',
  });
  expect(rollout!.result).toMatchObject({ toolsUsed: ['add'], finalResponse: '42', turnsUsed: 2 });
});

test('each rollout has a sandbox of its own, which the reward sees and which is gone afterwards', async () => {
  const sandboxes = shell();
  const seen: string[] = [];
  const rollouts = await runGroup({
    definition: sum({
      sandboxes,
      tools: [],
      defaultToolsets: ['terminal'],
      computeReward: async (_item, _result, context) => {
        seen.push((await context.terminal('list')).output);
        return (await context.readFile('mine')) === 'made' ? 1 : 0;
      },
    }),
    policy: ({ messages }) => (messages.length === 1 ? call('terminal', { command: 'make mine' }) : 'done'),
    size: 3,
  });
  expect(rollouts.map(({ outcome }) => outcome)).toEqual(rollouts.map(() => ({ kind: 'scored', reward: 1 })));
  expect(sandboxes.created).toHaveLength(3);
  expect(seen).toEqual(['mine', 'mine', 'mine']);
  expect(sandboxes.alive()).toBe(0);
});

test('no more rollouts than allowed have a sandbox at once, and all get theirs', async () => {
  const sandboxes = shell();
  let most = 0;
  const rollouts = await runGroup({
    definition: sum({
      sandboxes,
      tools: [],
      defaultToolsets: ['terminal'],
      computeReward: async (_item, _result, context) => {
        most = Math.max(most, sandboxes.alive());
        return (await context.gradeInCleanSandbox({ files: ['mine'] })).passed ? 1 : 0;
      },
    }),
    policy: ({ messages }) => (messages.length === 1 ? call('terminal', { command: 'make mine' }) : 'done'),
    size: 7,
    flags: { max_sandboxes: 2 },
  });
  expect(rollouts.map(({ outcome }) => outcome.kind === 'scored' && outcome.reward)).toEqual(Array(7).fill(1));
  expect(most).toBeLessThanOrEqual(4);
  expect(sandboxes.created).toHaveLength(14);
  expect(sandboxes.alive()).toBe(0);
});

test.each(['cannot be made', 'breaks under a command'])(
  'a sandbox that %s fails the rollout and is no reward',
  async (how) => {
    const sandboxes = shell();
    const error = new SandboxError({
      kind: how === 'cannot be made' ? 'unavailable' : 'failed',
      reason: 'It is gone.',
    });
    const broken: typeof sandboxes = {
      ...sandboxes,
      create: async (options) => {
        if (how === 'cannot be made') throw error;
        return { ...(await sandboxes.create(options)), exec: async () => Promise.reject(error) };
      },
    };
    const [rollout] = await runGroup({
      definition: sum({ sandboxes: broken, defaultToolsets: ['terminal'] }),
      policy: ({ messages }) => (messages.length === 1 ? call('terminal', { command: 'make mine' }) : 'done'),
    });
    expect(rollout!.outcome).toEqual({ kind: 'failed', failure: 'infrastructure', reason: 'It is gone.' });
    expect(sandboxes.alive()).toBe(0);
  },
);

test('a rollout that needs no sandbox makes none', async () => {
  const sandboxes = shell();
  await runGroup({ definition: sum({ sandboxes }), policy: useTool });
  expect(sandboxes.created).toHaveLength(0);
});

test.each(['throws', 'hangs until the time is up', 'is aborted'])('a reward that %s leaves no sandbox', async (how) => {
  const sandboxes = shell();
  const stop = new AbortController();
  const running = runGroup({
    definition: sum({
      sandboxes,
      computeReward: async (_item, _result, { terminal }) => {
        await terminal('list');
        if (how === 'throws') throw new Error('broken verifier');
        if (how === 'is aborted') stop.abort(new Error('the run has ended'));
        return new Promise<never>(() => {});
      },
    }),
    policy: useTool,
    signal: stop.signal,
    flags: { worker_timeout: how === 'hangs until the time is up' ? 0.05 : 60 },
  });
  if (how === 'is aborted') await expect(running).rejects.toThrow('the run has ended');
  else {
    const [{ outcome }] = (await running) as [Awaited<typeof running>[number]];
    expect(outcome).toMatchObject({ kind: 'failed', failure: how === 'throws' ? 'verifier' : 'timeout' });
  }
  expect(sandboxes.created).toHaveLength(1);
  expect(sandboxes.alive()).toBe(0);
});

test('a model that fails is no reward', async () => {
  const sandboxes = shell();
  const [rollout] = await runGroup({
    definition: sum({ sandboxes, defaultToolsets: ['terminal'] }),
    policy: ({ messages }) => {
      if (messages.length > 1) throw new Error('server is gone');
      return call('terminal', { command: 'make x' });
    },
  });
  expect(rollout!.outcome).toEqual({ kind: 'failed', failure: 'infrastructure', reason: 'server is gone' });
  expect(sandboxes.alive()).toBe(0);
});

test('the clean sandbox gets the named files, then the tests, and never what else the agent made', async () => {
  const sandboxes = shell();
  const [rollout] = await runGroup({
    definition: sum({
      sandboxes,
      defaultToolsets: ['terminal', 'file'],
      prepare: async (_item, sandbox) => sandbox.writeFile('base', 'given'),
      computeReward: async (_item, _result, context) => {
        const { passed, run, missing } = await context.gradeInCleanSandbox({
          files: ['answer', 'absent'],
          tests: { 'test.sh': 'hidden' },
          command: 'list',
        });
        return { reward: passed && run?.output === 'base answer test.sh' && missing[0] === 'absent' ? 1 : 0 };
      },
    }),
    policy: ({ messages }) =>
      messages.length === 1
        ? call('terminal', { command: 'make answer' })
        : messages.length === 3
          ? call('write_file', { path: 'test.sh', content: 'exit 0' })
          : 'done',
  });
  expect(rollout!.outcome).toMatchObject({ kind: 'scored', reward: 1 });
  expect(sandboxes.created[0]!.files.get('test.sh')).toBe('exit 0');
  expect(sandboxes.created[1]!.files.get('test.sh')).toBe('hidden');
  expect(sandboxes.alive()).toBe(0);
});

test('tools come from the toolsets that are enabled and not disabled, and an unknown one is named', async () => {
  const offered: string[][] = [];
  const definition = sum({ defaultToolsets: ['terminal'], toolsets: { extra: [{ ...add, name: 'extra' }] } });
  const policy = ({ tools }: { tools?: readonly unknown[] | undefined }) => {
    offered.push((tools as { function: { name: string } }[]).map((tool) => tool.function.name));
    return '42';
  };
  await runGroup({ definition, policy });
  await runGroup({
    definition,
    policy,
    flags: { enabled_toolsets: ['extra', 'terminal'], disabled_toolsets: ['terminal'] },
  });
  expect(offered).toEqual([
    ['terminal', 'process', 'add'],
    ['extra', 'add'],
  ]);
  await expect(runGroup({ definition, policy, flags: { enabled_toolsets: ['wbe'] } })).rejects.toThrow(
    /^There is no toolset "wbe"; .* There are: terminal, file, code_execution, extra, web, /,
  );
  const before = offered.length;
  await expect(runGroup({ definition, policy, flags: { enabled_toolsets: ['web'] } })).rejects.toThrow(
    'The configuration has toolsets whose tools are not configured:\n  web: set TAVILY_API_KEY',
  );
  expect(offered).toHaveLength(before);
});

test('missing tools that are allowed to be missing mark every rollout', async () => {
  const definition = sum({ defaultToolsets: ['terminal', 'web'] });
  const [rollout] = await runGroup({ definition, policy: () => '42', flags: { allow_missing_tools: true } });
  expect(rollout?.outcome).toMatchObject({ kind: 'scored', marks: ['missing-toolset:web'] });
});

test('a distribution is drawn once for each group, by the seed', async () => {
  const definition = sum({
    items: { train: Array.from({ length: 40 }, (_, a) => ({ a, b: 1 })), evaluation: [] },
    tools: [],
    distributions: { coin: { terminal: 50, file: 50 }, wide: { terminal: 50, web: 10 } },
  });
  const drawGroup = async (draw: number): Promise<string> => {
    const offered = new Set<string>();
    const policy = ({ tools }: { tools?: readonly unknown[] | undefined }) => {
      offered.add((tools as { function: { name: string } }[]).map((tool) => tool.function.name).join(' '));
      return '1';
    };
    await runGroup({ definition, policy, size: 4, draw, flags: { distribution: 'coin' } });
    expect(offered.size).toBe(1);
    return [...offered][0]!;
  };
  const groups = [];
  for (let draw = 0; draw < 12; draw += 1) groups.push(await drawGroup(draw));
  expect(new Set(groups)).toContain('terminal process');
  expect(new Set(groups)).toContain('read_file write_file patch search_files');
  // At once, and in another order.
  const again = await Promise.all(Array.from({ length: 12 }, (_, draw) => drawGroup(11 - draw)));
  expect(again.toReversed()).toEqual(groups);
  const wide = runGroup({ definition, policy: () => '1', flags: { distribution: 'wide' } });
  await expect(wide).rejects.toThrow(
    'The distribution "wide" has toolsets whose tools are not configured:\n  web: set',
  );
  const unknown = runGroup({ definition, policy: () => '1', flags: { distribution: 'absent' } });
  await expect(unknown).rejects.toThrow('There is no distribution "absent".');
});

test('evaluation runs the loop at temperature 0 and training at agent_temperature', async () => {
  const temperatures: number[] = [];
  const definition = sum();
  const script = (request: Parameters<typeof useTool>[0] & { temperature: number }) => {
    temperatures.push(request.temperature);
    return request.messages.length > 1 ? '3' : call('add', { a: 1, b: 2 });
  };
  const { values } = resolveEnvironmentConfig({ definition, flags: { env: { agent_temperature: 0.7 } } });
  const environment = await definition.open({ config: values.env });
  const report = await evaluateEnvironment({
    ...{ environment, policy: createScriptedPolicy(script), nextId: countIds(), now: () => 0 },
    ...{ signal: never, onEvent: () => {} },
  });
  expect(report.metrics['eval/mean_reward']).toBe(1);
  expect(report.samples[0]?.result?.turnsUsed).toBe(2);
  expect(report.metrics).toMatchObject({ 'eval/agent_turns': 2, 'eval/tool_calls': 1, 'eval/forked_rows': 0 });
  expect(temperatures).toEqual([0, 0]);
  await runGroup({ definition, policy: script, flags: { agent_temperature: 0.7 } });
  expect(temperatures.slice(2)).toEqual([0.7, 0.7]);
});

test('a class is the same, with its own settings beside the inherited ones', async () => {
  class Sum extends AgentEnvironment<Item> {
    override readonly name = 'sum-class';
    override readonly schema = z.object({ bonus: z.number().default(0) });
    override readonly defaultToolsets = ['file'];
    override readonly sandboxes = shell();
    override getNextItem = () => ({ a: 20, b: 22 });
    override getEvaluationItems = () => [{ a: 1, b: 1 }];
    override getAgentTools = () => [add];
    override configInit() {
      return { config: { max_agent_turns: 5 } };
    }
    override formatPrompt({ a, b }: Item) {
      return `${a} and ${b}`;
    }
    override async computeReward({ a, b }: Item, result: AgentRolloutResult, context: AgentContext) {
      await context.writeFile('seen', 'x');
      return result.finalResponse === String(a + b) ? 1 : 0;
    }
  }
  const definition = readDefinition(Sum)!;
  expect(definition.defaults).toEqual({ history_policy: 'split', max_agent_turns: 5 });
  expect(Object.keys(definition.configSchema.shape)).toEqual(expect.arrayContaining(['bonus', 'terminal_backend']));
  const [rollout] = await runGroup({ definition, policy: useTool });
  expect(rollout).toMatchObject({ outcome: { reward: 1 }, result: { stopReason: 'answered', toolsUsed: ['add'] } });
});

test('the checklist passes, with examples of several turns', async () => {
  const definition = sum({
    items: { train: [{ a: 20, b: 22 }], evaluation: [{ a: 1, b: 2 }] },
    examples: ({ a, b }) => ({ right: [call('add', { a, b }), String(a + b)], wrong: 'many' }),
    computeReward: ({ a, b }, { finalResponse, toolsUsed }) =>
      finalResponse === String(a + b) && toolsUsed.includes('add') ? 1 : 0,
  });
  const lines = await checkEnvironment({ definition, nextId: countIds(), now: () => 0, signal: never });
  expect(lines.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    'loads ok',
    'gives items ok',
    'splits stay apart ok',
    'grades its own examples ok',
    'makes valid groups ok',
    'offers tools ok',
    'evaluates ok',
  ]);
});

test('a rollout has the network that the configuration names, its grade has none, and its result says what was asked', async () => {
  const asked: unknown[] = [];
  const memory = shell();
  const log = [
    { host: 'pypi.org', verdict: 'allowed' },
    { host: 'evil.example', verdict: 'refused' },
  ];
  const sandboxes: MemorySandboxes = {
    ...memory,
    create: async (options) => {
      asked.push(options.network?.allow);
      const made = await memory.create(options);
      return { ...made, ...(options.network === undefined ? {} : { network: { log, usage: {} } }) } as typeof made;
    },
  };
  const definition = sum({
    sandboxes,
    tools: [add],
    computeReward: async (_item, _result, context) => {
      await context.gradeInCleanSandbox({ files: ['a'] });
      return 1;
    },
    toolsets: {},
  });
  const [rollout] = await runGroup({
    definition,
    flags: { network_allow: ['pypi.org'], enabled_toolsets: ['terminal'] },
    policy: ({ messages }: { messages: readonly { role: string }[] }) =>
      messages.at(-1)!.role === 'tool' ? 'done' : call('terminal', { command: 'make a' }),
  });
  expect(asked).toEqual([['pypi.org'], undefined]);
  expect(rollout?.result.networkLog).toEqual(log);
  expect(measureAgents([rollout as never])).toMatchObject({ network_requests: 2, network_refused: 1 });
});
