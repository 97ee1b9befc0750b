import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;

async function openHome() {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-use-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const { OPENAI_BASE_URL: _url, OPENAI_MODEL: _model, OPENROUTER_API_KEY: _key, ...inherited } = process.env;
  return async (...words: string[]): Promise<{ code: number | null; output: string }> => {
    const args = ['--conditions=lachesis-source', MAIN, 'inference', 'use', ...words];
    const child = spawn(process.execPath, args, { env: { ...inherited, LACHESIS_HOME: home }, stdio: 'pipe' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += String(piece)));
    child.stdin.end();
    return { code: await new Promise((resolve) => void child.once('close', resolve)), output };
  };
}

async function startServer(...models: string[]): Promise<string> {
  const server = createServer((_request, reply) => {
    reply.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('a server is kept with its model, shown, and refused with the choices where nobody can be asked', async () => {
  const use = await openHome();
  expect((await use()).output).toContain('lachesis inference use ollama');
  const several = await startServer('small', 'large');
  const refused = await use(several);
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringContaining(`has 2 models: small, large. Say which: lachesis inference use ${several} --model <model>`),
  ]);
  expect((await use(several, '--model', 'large')).code).toBe(0);
  expect((await use()).output).toBe(`large at ${several}\n`);
  const one = await startServer('only');
  expect((await use(one, '--json')).output).toContain('"model":"only"');
  expect((await use('openrouter', '--model', 'm')).output).toContain('lachesis config set OPENROUTER_API_KEY');
  expect((await use('nonsense')).output).toContain('nor one of ollama, openai, openrouter');
}, 60_000);
