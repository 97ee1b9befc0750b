import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;
let home: string;
let model: Server;
let asked = 0;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-reverify-'));
  asked = 0;
  // Says the right number and the right number in words, by turns.
  model = createServer((request, response) => {
    void text(request).then((body) => {
      asked += 1;
      const { messages, n = 1 } = JSON.parse(body) as { messages: { content: string }[]; n?: number };
      const number = Number.parseInt(messages.at(-1)?.content ?? '', 10) + 1;
      const choices = Array.from({ length: n }, (_, index) => ({
        index,
        finish_reason: 'stop',
        message: { role: 'assistant', content: index % 2 === 0 ? String(number) : `It is ${number}.` },
      }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices }));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => model.close(resolve));
  await rm(home, { recursive: true, force: true });
});

async function lachesis(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=lachesis-source', MAIN, 'env', ...words], {
    cwd: home,
    env: { ...process.env, LACHESIS_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

const writeEnvironment = (rule: string): Promise<void> =>
  writeFile(
    join(home, 'sums.ts'),
    `import { defineEnvironment } from '@lachesis/sdk/environment';
export const sums = defineEnvironment({
  name: 'sums',
  items: { train: { generate: (_index, { random }) => ({ n: random.integer(0, 1e6) }) }, evaluation: [{ n: -1 }] },
  formatPrompt: ({ n }) => n + ' + 1?',
  computeReward: ({ n }, { finalResponse }) => (${rule} ? 1 : 0),
});
`,
  );

test('groups of `env process` are graded by the verifier of today, without a model', async () => {
  await writeEnvironment('finalResponse === String(n + 1)');
  const { port } = model.address() as AddressInfo;
  const processed = await lachesis(
    ...['process', 'sums.ts', '--env.total_steps', '3', '--env.group_size', '2', '--env.seed', '11'],
    ...['--env.data_path_to_save_groups', 'groups.jsonl', '--openai.base_url', `http://127.0.0.1:${port}/v1`],
    ...['--openai.model_name', 'm', '--openai.health_check', 'false', '--openai.server_type', 'openai'],
  );
  expect(processed, processed.stderr).toMatchObject({ code: 0 });
  const before = asked;

  const same = await lachesis('reverify', 'sums.ts', 'groups.jsonl', '--json');
  expect(same, same.stderr).toMatchObject({ code: 0 });
  // The seed stands in the settings beside the file.
  expect(JSON.parse(same.stdout)).toMatchObject({ rollouts: 6, regraded: 6, changed: 0, failed: 0, mean_after: 0.5 });

  await writeEnvironment('finalResponse.includes(String(n + 1))');
  const other = await lachesis('reverify', 'sums.ts', 'groups.jsonl', '--out', 'again.jsonl');
  expect(other, other.stderr).toMatchObject({ code: 0 });
  expect(other.stdout).toMatch(/changed +3\n +0 → 1 +3\n +mean reward +0.5 → 1\n/);
  expect(other.stdout).toContain('3 groups in again.jsonl');
  const [old, again] = await Promise.all(
    ['groups.jsonl', 'again.jsonl'].map((name) => readFile(join(home, name), 'utf8')),
  );
  expect(again).toBe(old?.replaceAll('"scores":[1.0,0.0]', '"scores":[1.0,1.0]'));
  expect(asked).toBe(before);

  const taken = await lachesis('reverify', 'sums.ts', 'groups.jsonl', '--out', 'again.jsonl');
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('Name a file that is not there yet') });
  const otherSeed = await lachesis('reverify', 'sums.ts', 'groups.jsonl', '--env.seed', '12', '--json');
  expect(otherSeed.code).toBe(1);
  expect(JSON.parse(otherSeed.stdout)).toMatchObject({ regraded: 0, failed: 6, mean_after: null });
  expect(await lachesis('reverify', 'sums.ts')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('which file'),
  });
}, 120_000);
