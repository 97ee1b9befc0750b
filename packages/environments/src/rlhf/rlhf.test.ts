import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { openForTest } from '../open-for-test.fixture.ts';
import { readPrompts } from './read-prompts.ts';
import rlhf from './rlhf.ts';

let folder = '';
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'lachesis-rlhf-'))));
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const line = (content: string, more: object = {}): string =>
  JSON.stringify({ messages: [{ role: 'user', content }], ...more });

test('reads prompts of both splits, and names the line that is none', async () => {
  const path = await write('prompts.jsonl', `${line('a')}\n\n${line('b', { split: 'eval', expected: 3 })}\n`);
  const { train, evaluation } = await readPrompts(path);
  expect([train, evaluation].map((prompts) => prompts.map(({ messages }) => messages[0]?.['content']))).toEqual([
    ['a'],
    ['b'],
  ]);
  await expect(readPrompts(await write('broken.jsonl', `${line('a')}\n{"messages": 3}\n`))).rejects.toThrow('line 2');
  await expect(readPrompts(await write('empty.jsonl', line('a', { split: 'eval' })))).rejects.toThrow('no prompt');
});

test('a reward of one’s own grades the reply, and without any reward it does not start', async () => {
  const prompts_path = await write(
    'one.jsonl',
    `${line('Say.')}\n${line('Say hello.', { expected: 'hello', split: 'eval' })}`,
  );
  const reward = await write('reward.ts', 'export default ({ answer, expected }) => (answer === expected ? 2 : -1);\n');
  const { opened } = await openForTest(rlhf, { prompts_path, reward });
  const [item] = await opened.listEvaluationItems();
  const grade = (finalResponse: string) =>
    opened.computeReward(
      item!,
      { finalResponse, messages: [] } as never,
      { config: opened.config, state: opened.state, signal: new AbortController().signal } as never,
    );
  expect(await grade('hello')).toMatchObject({ kind: 'scored', reward: 2 });
  expect(await grade('no')).toMatchObject({ kind: 'scored', reward: -1 });
  await expect(openForTest(rlhf, { prompts_path })).rejects.toThrow('reward');
});

test('the key of the operator goes to the server the operator named, and to none that came through the API', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, reply) => {
    keys.push(request.headers.authorization);
    request.resume();
    reply.end('{"reward": 1}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('LACHESIS_REWARD_KEY', 'rk-operator');
  vi.stubEnv('LACHESIS_EGRESS_ALLOW', `127.0.0.1:${port}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.close();
  });
  const prompts_path = await write('keys.jsonl', `${line('Say.')}\n${line('Say it.', { split: 'eval' })}`);
  for (const api_fields of [[], ['reward_url']]) {
    const { opened } = await openForTest(rlhf, { prompts_path, reward_url: `http://127.0.0.1:${port}`, api_fields });
    const [item] = await opened.listEvaluationItems();
    const result = { finalResponse: 'hello', messages: [{ role: 'user', content: 'Say it.' }] };
    const { signal } = new AbortController();
    await opened.computeReward(item!, result as never, { config: opened.config, state: opened.state, signal } as never);
  }
  expect(keys).toEqual(['Bearer rk-operator', undefined]);
});
