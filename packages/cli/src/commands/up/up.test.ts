import { createLibraryClient } from '@lachesis/sdk';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;
const reply = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'toy',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Four.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};

let home: string;
let upstream: Server;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-up-'));
  upstream = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(reply)));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await rm(home, { recursive: true, force: true });
});

interface Up {
  up: ChildProcess;
  baseUrl: string;
  gatewayUrl: string;
  libraryUrl: string;
}

async function startUp(...flags: string[]): Promise<Up> {
  const { port } = upstream.address() as AddressInfo;
  const ports = ['--port', '0', '--control-port', '0', '--log-level', 'warn', '--json'];
  const up = spawn(
    process.execPath,
    [
      '--conditions=lachesis-source',
      MAIN,
      'up',
      '--upstream-url',
      `http://127.0.0.1:${port}/v1`,
      '--home',
      home,
      ...flags,
      ...ports,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (up.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: up.stdout })) {
    const said = JSON.parse(line) as Record<'base_url' | 'gateway_url' | 'library_url', string>;
    return { up, baseUrl: said.base_url, gatewayUrl: said.gateway_url, libraryUrl: said.library_url };
  }
  throw new Error('it ended before it was ready');
}

async function runCli(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=lachesis-source', MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LACHESIS_TOKEN: undefined },
  });
  return await readText(child.stdout);
}

const childrenOf = ({ pid }: ChildProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

describe.skipIf(process.platform !== 'linux')('lachesis up', () => {
  it('records what goes through the gateway, shows it in the library, and leaves nobody behind', async () => {
    const { up, baseUrl, gatewayUrl, libraryUrl } = await startUp();
    const children = childrenOf(up);
    expect(children).toHaveLength(2);
    const answered = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-lachesis-trajectory': 'sum' },
      body: JSON.stringify({ model: 'toy', messages: [{ role: 'user', content: 'Two and two?' }] }),
    });
    const key = /\/key\/(lch_[^/]+)\/v1$/.exec(baseUrl)?.[1] ?? '';
    expect(await answered.json()).toMatchObject({ choices: [{ message: { content: 'Four.' } }] });
    const token = readFileSync(join(home, 'token'), 'utf8').trim();
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
    const unknown = await Promise.all(
      [`${gatewayUrl}/v1/models`, `${libraryUrl}/v1/trajectories`].map((url) => fetch(url)),
    );
    expect(unknown.map(({ status }) => status)).toEqual([401, 401]);
    const wide = await fetch(`${libraryUrl}/v1/trajectories`, { headers: { authorization: `Bearer ${key}` } });
    expect(wide.status).toBe(403);
    const library = createLibraryClient({ url: libraryUrl, token });
    const find = async () => (await library.listTrajectories({ filter: { key: 'sum' } })).trajectories;
    await expect.poll(find).toMatchObject([{ title: 'Two and two?', turn_count: 1 }]);
    // What the commands of this machine do by themselves.
    expect(await runCli('trajectories', 'list', '--json', '--server', libraryUrl, '--home', home)).toContain(
      'Two and two?',
    );
    const ended = new Promise((resolve) => up.once('exit', resolve));
    up.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    const holding = (await readdir(home, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
    const texts = holding.map(async (file) => [file.name, await readFile(join(file.parentPath, file.name), 'latin1')]);
    const withKey = (await Promise.all(texts)).filter(([, text]) => text?.includes(key.slice(-43)));
    expect(withKey.map(([name]) => name)).toEqual(['gateway-key']);
  }, 150_000);

  it('prints the same address at the next start, and says that --no-token cannot be had', async () => {
    const { up, baseUrl } = await startUp();
    expect(baseUrl).toContain(readFileSync(join(home, 'gateway-key'), 'utf8').trim());
    const ended = new Promise((resolve) => up.once('exit', resolve));
    up.kill('SIGINT');
    await ended;
    await expect(startUp('--no-token')).rejects.toThrow('it ended before it was ready');
  }, 150_000);

  it('takes its children with it when it is killed', async () => {
    const { up } = await startUp();
    const children = childrenOf(up);
    up.kill('SIGKILL');
    const left = (): number[] => children.filter((pid) => existsSync(`/proc/${pid}`));
    await expect.poll(left, { interval: 200 }).toEqual([]);
  }, 150_000);
});
