import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { createSkillTools } from './create-skill-tools.ts';
import { installSkill } from './install-skill.ts';
import { createSkillSource, listSkills, readHeader, readSkill } from './skill.ts';

const repository = path.resolve(import.meta.dirname, '../../../../..');
const main = path.join(repository, 'packages/cli/src/main.ts');
const skills = await listSkills();

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lachesis-skill-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('there are three guides, with a header that agents read', async () => {
  expect(skills.map(({ name }) => name)).toEqual([
    'author-an-environment',
    'learn-from-feedback',
    'train-from-recordings',
  ]);
  for (const { name, description, folder } of skills) {
    const header = readHeader(await readFile(path.join(folder, 'SKILL.md'), 'utf8'));
    expect(header['name']).toBe(name);
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThanOrEqual(1_024);
    // A colon and a space would make another thing of it in YAML.
    expect(description).not.toMatch(/: | #/);
  }
});

const commands = (
  JSON.parse(await readFile(path.join(repository, 'test/architecture/surface.json'), 'utf8')) as {
    commands: Record<string, string[]>;
  }
).commands;

/** The commands in the blocks for shells. */
function findCommandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((found) => found[1]!);
  return blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('lachesis '));
}

/** What is wrong with a command line; undefined when the command and each of its options are there. */
function findFault(line: string): string | undefined {
  const words = line.split(/\s+/);
  const command = [4, 3, 2].map((count) => words.slice(0, count).join(' ')).find((name) => name in commands);
  if (command === undefined) return 'there is no such command';
  // Settings of environments and recipes have dots in them and are read by their own schemas.
  const given = words.filter((word) => /^--?[a-z]/.test(word) && !word.includes('.'));
  return given.find((option) => !commands[command]!.includes(option));
}

test.each(skills.map(({ name }) => name))('each command of %s is one that exists, with its options', async (name) => {
  const lines = findCommandLines((await readSkill(name))!.text);
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.flatMap((line) => findFault(line) ?? []).map(String)).toEqual([]);
});

test('a command that is not there is found', () => {
  expect(findFault('lachesis data shets make x')).toBe('there is no such command');
  expect(findFault('lachesis data sets make x --held-in')).toBe('--held-in');
});

test('the environment in the guide passes the checklist', async () => {
  const { text } = (await readSkill('author-an-environment'))!;
  const [, file, source] = /^```ts file=(\S+)\n([\s\S]*?)^```/m.exec(text)!;
  await inFolder(async (folder) => {
    await mkdir(path.join(folder, 'environments'));
    await writeFile(path.join(folder, file!), source!);
    const args = ['--conditions=lachesis-source', main, 'env', 'check', file!];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 25_000 });
    expect(stdout).not.toContain('✗');
    expect(stdout).toContain('✓ evaluates');
  });
});

test('a guide is shown without its header', async () => {
  const skill = await readSkill('train-from-recordings');
  expect(skill?.text.startsWith('# Train from recordings\n')).toBe(true);
  expect(await readSkill('../skills/train-from-recordings')).toBeUndefined();
  const source = createSkillSource();
  expect([(await source.list()).length, await source.read('no')]).toEqual([3, undefined]);
  expect(await source.read('train-from-recordings')).toBe(skill?.text);
});

test('a guide is installed whole, and one that is there stays unless it is to be replaced', () =>
  inFolder(async (folder) => {
    const into = path.join(folder, '.agents/skills');
    const [skill] = skills as [(typeof skills)[number]];
    const where = path.join(into, skill.name);
    expect(await installSkill({ skill, into, replaces: false })).toBe(where);
    await writeFile(path.join(where, 'SKILL.md'), 'mine');
    expect(await installSkill({ skill, into, replaces: false })).toBeUndefined();
    expect(await readFile(path.join(where, 'SKILL.md'), 'utf8')).toBe('mine');
    expect(await installSkill({ skill, into, replaces: true })).toBe(where);
    expect(readHeader(await readFile(path.join(where, 'SKILL.md'), 'utf8'))['name']).toBe(skill.name);
  }));

test('an agent lists and reads them', async () => {
  const [list, view] = createSkillTools() as [
    ReturnType<typeof createSkillTools>[number],
    ReturnType<typeof createSkillTools>[number],
  ];
  const context = { signal: new AbortController().signal, callId: 'c' };
  expect(await list.execute({}, context)).toHaveLength(3);
  expect(await view.execute({ name: 'author-an-environment' }, context)).toContain('# Author an environment');
  await expect(view.execute({ name: 'x' }, context)).rejects.toThrow(
    'There are author-an-environment, learn-from-feedback, train-from-recordings',
  );
});
