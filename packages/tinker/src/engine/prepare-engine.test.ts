import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { prepareEngine } from './prepare-engine.ts';
import type { RunTool, ToolRun } from './run-tool.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-prepare-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Programs that do nothing but what the keeper looks at afterwards. */
function createTools({ hasUv = false, installFails = false } = {}) {
  const calls: string[] = [];
  const environments: ToolRun['env'][] = [];
  const run: RunTool = async ({ command, args, env }) => {
    const words = args.join(' ');
    environments.push(env);
    if (command.endsWith('/uv') && words === '--version') {
      return hasUv && command === '/tools/uv' ? { code: 0, output: 'uv 1.0.0' } : { code: undefined, output: '' };
    }
    if (words.includes('version_info[:3]')) {
      return command === '/tools/python3.12' ? { code: 0, output: 'version.3.12.1' } : { code: undefined, output: '' };
    }
    if (words.includes('version_info[:2]')) return { code: 0, output: '' };
    const what = /pip install/.test(words) ? (command.endsWith('/uv') ? 'uv pip' : 'pip') : 'venv';
    calls.push(what);
    if (what === 'venv') {
      const folder = args.at(-1) ?? '';
      await mkdir(join(folder, 'bin'), { recursive: true });
      await writeFile(join(folder, 'bin/python'), '');
      await chmod(join(folder, 'bin/python'), 0o755);
    }
    await sleep(20);
    return what === 'uv pip' && installFails ? { code: 1, output: 'no route to host' } : { code: 0, output: '' };
  };
  return { run, calls, environments, env: { PATH: '/tools' } };
}

test('without uv a venv is made by Python, uv goes into it, and uv installs the rest', async () => {
  const tools = createTools();
  const steps: string[] = [];
  const prepared = await prepareEngine({ home, ...tools, onProgress: ({ step }) => void steps.push(step) });
  expect(tools.calls).toEqual(['venv', 'pip', 'uv pip']);
  expect(steps).toEqual(['python', 'venv', 'install', 'install']);
  expect(prepared.python).toBe(join(prepared.venvDirectory, 'bin/python'));
});

test('with uv nothing is installed twice, and a venv that is there is not made again', async () => {
  const tools = createTools({ hasUv: true });
  await prepareEngine({ home, ...tools });
  await prepareEngine({ home, ...tools });
  expect(tools.calls).toEqual(['venv', 'uv pip']);
});

test('an installation that failed is gone on with in the same venv', async () => {
  const failing = createTools({ hasUv: true, installFails: true });
  await expect(prepareEngine({ home, ...failing })).rejects.toMatchObject({
    reason: 'install-failed',
    output: 'no route to host',
  });
  const tools = createTools({ hasUv: true });
  await prepareEngine({ home, ...tools });
  expect(tools.calls).toEqual(['uv pip']);
});

test('calls at once install once', async () => {
  const tools = createTools({ hasUv: true });
  await Promise.all([1, 2, 3].map(() => prepareEngine({ home, ...tools })));
  expect(tools.calls).toEqual(['venv', 'uv pip']);
});

test('the Python of the person does not reach the installer, their registry does', async () => {
  const tools = createTools({ hasUv: true });
  const env = { ...tools.env, PYTHONPATH: '/theirs', VIRTUAL_ENV: '/theirs', UV_INDEX_URL: 'set' };
  await prepareEngine({ home, run: tools.run, env });
  expect(tools.environments.at(-1)).toEqual({ PATH: '/tools', UV_INDEX_URL: 'set' });
});
