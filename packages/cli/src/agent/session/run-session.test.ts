import type { ChatMessage } from '@lachesis/protocol';
import type { AgentModel, AgentTool } from '@lachesis/sdk/agent';
import { expect, test } from 'vitest';

import type { AgentTerminal } from './agent-terminal.ts';
import { checkServers } from './check-servers.ts';
import { runTalk, runTask } from './run-session.ts';

const plain = (text: string): string => text;
const paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** A person who types these lines and then leaves. */
function sit(...typed: string[]): AgentTerminal & { shown: () => string } {
  let shown = '';
  return {
    ...{ paint, write: (text) => void (shown += text), clean: (text) => text.replaceAll('\u001B', '?') },
    ask: async (prompt) => {
      const line = typed.shift();
      shown += `${prompt}${line ?? ''}\n`;
      return line;
    },
    shown: () => shown,
  };
}

function script(...replies: ChatMessage[]): { model: AgentModel; asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = [];
  return {
    asked,
    model: async ({ messages }) => {
      asked.push([...messages]);
      return { message: replies[Math.min(asked.length, replies.length) - 1]!, finishReason: 'stop' };
    },
  };
}
const say = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (name: string, args = '{}'): ChatMessage => ({
  role: 'assistant',
  content: 'Let me.',
  tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: args } }],
});

function tool(name: string, risk?: AgentTool['risk']): AgentTool & { runs: number } {
  const made = {
    ...{ name, description: `does ${name}`, parameters: {}, risk, runs: 0 },
    preview: () => `about to \u001B[8m${name}`,
    execute: async () => {
      made.runs += 1;
      return 'ok';
    },
  };
  return made;
}
const base = { systemPrompt: 'You train.', allowsAll: false };

test('a task runs to its answer, and what happens is shown', async () => {
  const terminal = sit();
  const look = tool('look');
  const { model, asked } = script(call('look'), say('Done.'));
  const result = await runTask({ ...base, model, tools: [look], terminal, task: 'Look.' });
  expect(result).toMatchObject({ reason: 'answered', text: 'Done.' });
  expect(asked[0]).toEqual([
    { role: 'system', content: 'You train.' },
    { role: 'user', content: 'Look.' },
  ]);
  expect(terminal.shown()).toMatch(/^Let me\.\n→ look \{\}\n {2}done in 0\.0 s\n$/);
});

test.each([
  ['y', 1],
  ['yes', 1],
  ['n', 0],
  ['', 0],
  ['sure', 0],
])('the answer %j lets %i calls run', async (answer, runs) => {
  const start = tool('start', 'costs');
  const terminal = sit(answer);
  await runTask({ ...base, model: script(call('start'), say('.')).model, tools: [start], terminal, task: 'x' });
  expect(start.runs).toBe(runs);
});

test('a question shows what would happen, and nothing in it can hide', async () => {
  const terminal = sit('n too dear');
  const { model, asked } = script(call('start'), say('.'));
  await runTask({ ...base, model, tools: [tool('start', 'costs')], terminal, task: 'x' });
  expect(terminal.shown()).toContain(
    'start uses compute that somebody pays for\n  about to ?[8mstart\n  it holds characters that cannot be shown here\n',
  );
  expect(asked[1]?.at(-1)?.content).toContain('the person said no: too dear');
});

test('"always" counts for costs of the one tool, and never for an end', async () => {
  const [start, stop] = [tool('start', 'costs'), tool('stop', 'destroys')];
  const { model } = script(call('start'), call('start'), call('stop'), call('stop'), say('.'));
  await runTask({ ...base, model, tools: [start, stop], terminal: sit('a', 'a', 'y'), task: 'x' });
  expect([start.runs, stop.runs]).toEqual([2, 1]);
});

test('with nobody there the call is refused, unless all was allowed', async () => {
  const start = tool('start', 'destroys');
  const alone = script(call('start'), say('.'));
  await runTask({ ...base, model: alone.model, tools: [start], terminal: sit(), task: 'x' });
  expect([start.runs, alone.asked[1]?.at(-1)?.content]).toEqual([0, expect.stringContaining('`--yes` would allow it')]);
  await runTask({
    ...base,
    allowsAll: true,
    model: script(call('start'), say('.')).model,
    tools: [start],
    terminal: sit(),
    task: 'x',
  });
  expect(start.runs).toBe(1);
});

test('a talk goes on in one conversation', async () => {
  const terminal = sit('', '/tools', '/what', 'first', 'second', '/quit', 'never');
  const { model, asked } = script(say('one'), say('two'));
  let open = 0;
  const openSignal = () => ({ signal: new AbortController().signal, close: () => void (open += 1) });
  const last = await runTalk({ ...base, model, tools: [tool('look')], terminal, openSignal });
  expect(last?.messages.map(({ content }) => content)).toEqual(['You train.', 'first', 'one', 'second', 'two']);
  expect([asked.length, open]).toEqual([2, 2]);
  expect(terminal.shown()).toContain('  look  does look\n');
  expect(terminal.shown()).toContain('Say what to do, in words.');
});

test('a task that is ended leaves the talk going', async () => {
  const model: AgentModel = ({ messages, signal }) =>
    messages.at(-1)?.content === 'hang'
      ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
      : Promise.resolve({ message: say('here'), finishReason: 'stop' });
  const terminal = sit('hang', 'next');
  const last = await runTalk({
    ...{ ...base, model, tools: [], terminal },
    openSignal: () => ({ signal: AbortSignal.timeout(20), close: () => undefined }),
  });
  expect(last).toMatchObject({ reason: 'answered', text: 'here' });
  expect(terminal.shown()).toContain('it was ended');
});

test('both servers are asked, and each failure has its remedy', async () => {
  const reply = (async () => new Response(JSON.stringify({ data: [{ id: 'a' }, { id: 'b' }] }))) as typeof fetch;
  const modelServer = { url: 'http://m/v1', fetch: reply };
  const control = { url: 'http://c', health: async () => ({ status: 'ok', active_runs: 2 }) };
  expect(await checkServers({ control, modelServer })).toEqual([
    { server: 'control', url: 'http://c', isOk: true, message: 'it answers; 2 runs are active' },
    { server: 'model', url: 'http://m/v1', isOk: true, message: 'it offers a, b' },
  ]);
  const away = { url: 'http://c', health: () => Promise.reject(new Error('nothing listens there')) };
  expect(await checkServers({ control: away, modelServer: { ...modelServer, model: 'z' } })).toMatchObject([
    { isOk: false, message: 'nothing listens there. `lachesis up` starts it; --server names another.' },
    { isOk: false, message: 'it has no model z; it offers a, b. Choose one with --model.' },
  ]);
  expect((await checkServers({ control, modelServer: undefined }))[1]).toMatchObject({ isOk: false });
});
