import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listEnginePaths, shippedFiles } from './engine-paths.ts';
import { hashLock, markVenv } from './venv-marker.ts';

/** What the fake `uv` does when it is started as the engine. */
export interface FakeEngineBehaviour {
  readonly secondsUntilHealthy?: number;
  readonly secondsUntilReady?: number;
  /** Ends with this code instead of becoming ready. */
  readonly failsWith?: number;
  /** Does not end at SIGTERM. */
  readonly isStubborn?: boolean;
}

export interface FakeHome extends AsyncDisposable {
  readonly home: string;
  readonly model: string;
  /** How often the engine was started. */
  countStarts(): Promise<number>;
}

/** A home whose venv counts as installed and whose `uv` is a small server that behaves as the engine does. */
export async function makeFakeHome(behaviour: FakeEngineBehaviour = {}): Promise<FakeHome> {
  const root = await mkdtemp(join(tmpdir(), 'lachesis fake engine-'));
  const home = join(root, 'home');
  const model = join(root, 'model');
  const starts = join(root, 'starts');
  const key = hashLock(await readFile(shippedFiles.requirementsLock, 'utf8'));
  const venv = join(listEnginePaths(home).directory, `venv-${key}`);
  await mkdir(join(venv, 'bin'), { recursive: true });
  await mkdir(model);
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']) {
    await writeFile(join(model, name), '{}');
  }
  const program = join(root, 'engine.mjs');
  await writeFile(program, writeProgram(starts, behaviour));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
  for (const name of ['uv', 'python']) {
    await writeFile(join(venv, 'bin', name), script);
    await chmod(join(venv, 'bin', name), 0o755);
  }
  await markVenv(venv, key);
  return {
    home,
    model,
    async countStarts() {
      const text = await readFile(starts, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      return text.split('\n').length - 1;
    },
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true });
    },
  };
}

function writeProgram(starts: string, behaviour: FakeEngineBehaviour): string {
  const { secondsUntilHealthy = 0, secondsUntilReady = 0, failsWith, isStubborn = false } = behaviour;
  return `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
appendFileSync(${JSON.stringify(starts)}, process.argv.slice(2).join(' ') + '\\n');
if (${isStubborn}) process.on('SIGTERM', () => {});
const value = (name) => process.argv[process.argv.indexOf(name) + 1];
await sleep(${secondsUntilHealthy * 1_000});
createServer((request, response) => response.end('{"status":"ok"}')).listen(Number(value('--port')), value('--host'));
await sleep(${secondsUntilReady * 1_000});
if (${failsWith !== undefined}) { console.error('no such model'); process.exit(${failsWith ?? 0}); }
console.log('INFO - Started background engine with PID 1');
console.log('INFO - Starting background engine...');
`;
}
