import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { findModelServer } from '../../flags/model-server.ts';

const main = path.resolve(import.meta.dirname, '../../main.ts');
const servers: Server[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lachesis-agent-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true, force: true });
});

type Answer = (call: { method: string; path: string; body: Record<string, unknown> }) => unknown;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      const reply = answer({ method: request.method ?? '', path: request.url ?? '', body });
      response.statusCode = reply === undefined ? 404 : 200;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(reply ?? {}));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Message {
  role: string;
  content?: string | null;
  tool_calls?: unknown[];
}

/** A model that says these things, one after the other, and keeps what it was asked. */
async function serveModel(...replies: Message[]): Promise<{ url: string; asked: Message[][] }> {
  const asked: Message[][] = [];
  const url = await serve(({ path: where, body }) => {
    if (where === '/v1/models') return { object: 'list', data: [{ id: 'scripted' }] };
    asked.push(body['messages'] as Message[]);
    const message = replies[Math.min(asked.length, replies.length) - 1];
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const choice = { index: 0, message, finish_reason: message?.tool_calls === undefined ? 'stop' : 'tool_calls' };
    return { id: 'x', object: 'chat.completion', created: 1, model: 'scripted', choices: [choice], usage };
  });
  return { url: `${url}/v1`, asked };
}

const call = (name: string, args: object): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call-${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const say = (content: string): Message => ({ role: 'assistant', content });

const ENVIRONMENTS = [{ name: 'digits', class_name: 'Digits', file_path: 'digits.ts', description: 'Counts digits.' }];
const serveControl = (): Promise<string> =>
  serve(({ method, path: where }) => {
    if (where === '/health') return { status: 'ok', service: 'control', library: 'here', active_runs: 0 };
    return method === 'GET' && where === '/environments' ? ENVIRONMENTS : undefined;
  });

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command with nothing set but its home; standard input is a pipe that holds `typed`. */
function lachesis(args: string[], typed = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--conditions=lachesis-source', main, ...args], {
      cwd: folder,
      env: {
        ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
        ...{ HOME: folder, LACHESIS_HOME: path.join(folder, 'home') },
      },
      timeout: 25_000,
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ended, code }));
    child.stdin.end(typed);
  });
}

test('a task is done with the tools, and the whole of it is one recorded trajectory', async () => {
  const model = await serveModel(
    call('rl_list_environments', {}),
    call('list_files', {}),
    say('There is one environment: digits.'),
  );
  const servers = ['--base-url', model.url, '--server', await serveControl()];
  const { code, stdout } = await lachesis(['agent', 'Which environments are there?', ...servers, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      reason: 'answered',
      text: 'There is one environment: digits.',
      turns: 3,
      tool_calls: 2,
      usage: { total_tokens: 36 },
    },
  ]);
  expect(model.asked[1]?.at(-1)?.content).toContain('"name": "digits"');
  const { summary, parents } = await readRecorded(stdout);
  expect(summary).toMatchObject({
    ...{ turn_count: 3, tool_call_count: 2, error_count: 0, missing_records: 0 },
    ...{ outcome: 'finished', tags: ['lachesis-agent'], source: 'lachesis-agent' },
  });
  // No fork: each call continues the one before.
  expect(parents).toEqual([null, 0, 1]);
});

test('results that the model never saw are recorded too', async () => {
  const model = await serveModel(call('list_files', {}));
  const servers = ['--base-url', model.url, '--server', await serveControl()];
  const { code, stdout } = await lachesis(['agent', 'Look.', ...servers, '--max-turns', '1', '--json']);
  const { summary, parents, last } = await readRecorded(stdout);
  expect([code, summary['outcome'], summary['reason'], parents]).toEqual([1, 'failed', 'max-turns', [null, 0]]);
  expect(last).toMatchObject({ role: 'tool', tool_call_id: 'call-list_files' });
});

/** What the library has of the trajectory that a command with `--json` named. */
async function readRecorded(
  printed: string,
): Promise<{ summary: Record<string, unknown>; parents: unknown[]; last: unknown }> {
  const { trajectory } = JSON.parse(printed) as { trajectory: string };
  const home = ['--home', path.join(folder, 'home'), '--json'];
  const list = await lachesis(['trajectories', 'list', '--key', trajectory, ...home]);
  const [found] = (JSON.parse(list.stdout) as { trajectories: { trajectory_id: string }[] }).trajectories;
  const shown = await lachesis(['trajectories', 'show', found?.trajectory_id ?? '', ...home]);
  const { summary, turns } = JSON.parse(shown.stdout) as {
    summary: Record<string, unknown>;
    turns: { parent_index: unknown; messages: unknown[] }[];
  };
  return { summary, parents: turns.map((turn) => turn.parent_index), last: turns.at(-1)?.messages.at(-1) };
}

test('what nobody can allow is not written; with --yes it is', async () => {
  const write = { path: 'environments/a.ts', content: 'export {};\n' };
  const control = await serveControl();
  const file = path.join(folder, 'environments/a.ts');
  const first = await serveModel(call('write_file', write), say('I may not.'));
  const refused = await lachesis(['agent', 'Write it.', '--base-url', first.url, '--server', control, '--no-record']);
  expect([refused.code, refused.stdout]).toEqual([0, 'I may not.\n']);
  expect(first.asked[1]?.at(-1)?.content).toContain('nobody is here who could allow it');
  await expect(stat(file)).rejects.toThrow('ENOENT');

  const second = await serveModel(call('write_file', write), say('Written.'));
  const done = await lachesis([
    'agent',
    'Write it.',
    '--base-url',
    second.url,
    '--server',
    control,
    '--no-record',
    '--yes',
  ]);
  expect([done.code, done.stdout, await readFile(file, 'utf8')]).toEqual([0, 'Written.\n', 'export {};\n']);
  await expect(stat(path.join(folder, 'home'))).rejects.toThrow('ENOENT');
});

test('a talk asks before it writes, and takes the answer from the keyboard', async () => {
  const write = { path: 'environments/b.ts', content: 'export {};\n' };
  const model = await serveModel(call('write_file', write), say('Written.'), say('Bye.'));
  const servers = ['--base-url', model.url, '--server', await serveControl()];
  const { code, stdout } = await lachesis(['agent', '--interactive', ...servers], 'Write it.\ny\nThanks.\n');
  expect(code).toBe(0);
  expect(stdout).toContain('new file environments/b.ts, 2 lines\n  + export {};');
  expect(await readFile(path.join(folder, 'environments/b.ts'), 'utf8')).toBe('export {};\n');
  expect(model.asked[2]?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
});

test('a limit and a model that is away end with 1 and a sentence', async () => {
  const model = await serveModel(call('list_files', {}));
  const control = await serveControl();
  const endless = await lachesis(['agent', 'x', '--base-url', model.url, '--server', control, '--max-turns', '2']);
  expect([endless.code, endless.stderr]).toEqual([
    1,
    expect.stringContaining('it ended after 2 turns. Raise --max-turns'),
  ]);
  const away = await lachesis(['agent', 'x', '--base-url', 'http://127.0.0.1:9/v1', '--server', control]);
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('cannot be asked which it has')]);
  const none = await lachesis(['agent', 'x']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no model to ask. Give --base-url')]);
  const wrong = await lachesis(['agent', 'x', '--toolsets', 'webb']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('There is no toolset "webb"')]);
  const nothing = await lachesis(['agent', '--base-url', model.url]);
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('say what to do')]);
});

test('environments are listed and servers checked without a task', async () => {
  const model = await serveModel(say('.'));
  const control = await serveControl();
  const list = await lachesis(['agent', '--list-environments', '--server', control]);
  expect([list.code, list.stdout]).toEqual([0, 'digits  Counts digits.\n']);
  const check = await lachesis(['agent', '--check-server', '--server', control, '--base-url', model.url, '--json']);
  expect([check.code, JSON.parse(check.stdout)]).toMatchObject([
    0,
    [
      { server: 'control', ok: true },
      { server: 'model', ok: true },
    ],
  ]);
  const away = await lachesis(['agent', '--check-server', '--server', 'http://127.0.0.1:9']);
  expect([away.code, away.stdout]).toEqual([
    1,
    expect.stringMatching(/✗ control .*lachesis up.*\n✗ model .*--base-url/),
  ]);
});

test.each([
  [{}, {}, undefined],
  [{ 'base-url': 'http://a/v1', model: 'm' }, {}, { url: 'http://a/v1', apiKey: undefined, model: 'm' }],
  [{}, { OPENAI_BASE_URL: 'http://b', OPENAI_API_KEY: 'k' }, { url: 'http://b', apiKey: 'k', model: undefined }],
  [{}, { OPENAI_API_KEY: 'k' }, { url: 'https://api.openai.com/v1', apiKey: 'k', model: undefined }],
  [{}, { OPENROUTER_API_KEY: 'r' }, { url: 'https://openrouter.ai/api/v1', apiKey: 'r', model: undefined }],
  // The key of one service does not go to a server of another name.
  [{ 'base-url': 'http://a' }, { OPENROUTER_API_KEY: 'r' }, { url: 'http://a', apiKey: undefined, model: undefined }],
  [
    { 'base-url': 'http://a' },
    { LACHESIS_AGENT_API_KEY: 'l', OPENAI_API_KEY: 'k' },
    { url: 'http://a', apiKey: 'l', model: undefined },
  ],
  [{}, { LACHESIS_AGENT_BASE_URL: '', OPENAI_API_KEY: '' }, undefined],
])('the options %j and the variables %j name the server', (args, env, expected) => {
  expect(findModelServer(args, env)).toEqual(expected);
});
