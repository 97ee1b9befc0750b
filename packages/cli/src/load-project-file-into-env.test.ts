import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProjectFile } from './load-project-file-into-env.ts';
import { loadProjectFile } from './flags/project-file.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-project-'));
  file = join(folder, 'lachesis.config.yaml');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function load(text: string, env: Record<string, string | undefined> = {}): Promise<typeof env> {
  await writeFile(file, text);
  await loadProjectFile(file, env);
  return env;
}

test('is found in the folder and in those above it', async () => {
  await writeFile(file, '');
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  expect([findProjectFile(folder), findProjectFile(join(folder, 'a', 'b'))]).toEqual([file, file]);
});

test('fills up what is not set; a variable goes before it', async () => {
  const text =
    'home: ./kept\nupstream: http://localhost:11434/v1\nrecipe: cpu_tiny\nports:\n  gateway: 9001\n  engine: 9100\n';
  expect(await load(text, { LACHESIS_INFERENCE_PORT: '7001' })).toEqual({
    LACHESIS_HOME: join(folder, 'kept'),
    LACHESIS_UPSTREAM_URL: 'http://localhost:11434/v1',
    LACHESIS_RECIPE: 'cpu_tiny',
    LACHESIS_INFERENCE_PORT: '7001',
    LACHESIS_ENGINE_PORT: '9100',
    LACHESIS_PROJECT_FILE: file,
  });
});

test('tools stand in the file itself, or in one that it names', async () => {
  expect((await load('tools:\n  search: corpus:pages\n'))['LACHESIS_TOOLS']).toBe(file);
  expect((await load('tools: ./tools.yaml\n'))['LACHESIS_TOOLS']).toBe(join(folder, 'tools.yaml'));
});

test('a setting that does not exist is refused with its line and the nearest one', async () => {
  await expect(load('home: x\nupstrem: y\n')).rejects.toThrow(
    `${file}, line 2: there is no setting upstrem. Did you mean upstream?`,
  );
  await expect(load('ports:\n  gatway: 1\n')).rejects.toThrow('Did you mean ports.gateway?');
  await expect(load('prots: 1\n')).rejects.toThrow('there is no setting prots. Did you mean ports?');
  await expect(load('ports: 1\n')).rejects.toThrow('line 1: ports wants its settings by name, such as');
  await expect(load('- a\n')).rejects.toThrow('not a mapping');
  await expect(load('home: [\n')).rejects.toThrow(/line \d/);
});

test('a key has no place in it, and nothing of it is told', async () => {
  const refused = load('upstream_api_key: sk-123\n');
  await expect(refused).rejects.toThrow('upstream_api_key is a secret');
  await expect(refused).rejects.not.toThrow('sk-123');
});

test('a file that everybody can write is not read', async () => {
  await writeFile(file, 'home: x\n');
  await chmod(file, 0o666);
  await expect(loadProjectFile(file, {})).rejects.toThrow('chmod o-w');
});
