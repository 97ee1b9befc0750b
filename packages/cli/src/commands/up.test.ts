import { createLibraryClient } from '@lachesis/sdk';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = new URL('../main.ts', import.meta.url).pathname;
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

async function startUp(): Promise<{ up: ChildProcess; baseUrl: string; libraryUrl: string }> {
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
      ...ports,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (up.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: up.stdout })) {
    const { base_url: baseUrl, library_url: libraryUrl } = JSON.parse(line) as Record<string, string>;
    return { up, baseUrl: baseUrl ?? '', libraryUrl: libraryUrl ?? '' };
  }
  throw new Error('it ended before it was ready');
}

const childrenOf = ({ pid }: ChildProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

describe.skipIf(process.platform !== 'linux')('lachesis up', () => {
  it('records what goes through the gateway, shows it in the library, and leaves nobody behind', async () => {
    const { up, baseUrl, libraryUrl } = await startUp();
    const children = childrenOf(up);
    expect(children).toHaveLength(2);
    const answered = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-lachesis-trajectory': 'sum' },
      body: JSON.stringify({ model: 'toy', messages: [{ role: 'user', content: 'Two and two?' }] }),
    });
    expect(await answered.json()).toMatchObject({ choices: [{ message: { content: 'Four.' } }] });
    const library = createLibraryClient({ url: libraryUrl });
    const find = async () => (await library.listTrajectories({ filter: { key: 'sum' } })).trajectories;
    await expect.poll(find, { timeout: 10_000 }).toMatchObject([{ title: 'Two and two?', turn_count: 1 }]);
    const ended = new Promise((resolve) => up.once('exit', resolve));
    up.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  }, 60_000);

  it('takes its children with it when it is killed', async () => {
    const { up } = await startUp();
    const children = childrenOf(up);
    up.kill('SIGKILL');
    const left = (): number[] => children.filter((pid) => existsSync(`/proc/${pid}`));
    await expect.poll(left, { timeout: 20_000, interval: 200 }).toEqual([]);
  }, 60_000);
});
