import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { createSkillTools } from './create-skill-tools.ts';
import { installSkill } from './install-skill.ts';
import { readSkillState } from './installed-skill.ts';
import { searchSkills } from './search-skills.ts';
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

test('every guide has a header that agents read: name of its folder, what it is for, version, what it was held against', async () => {
  for (const skill of skills) {
    const header = readHeader(await readFile(path.join(skill.folder, 'SKILL.md'), 'utf8'));
    expect(header['name']).toBe(skill.name);
    expect(header['category']).toBe(path.basename(path.dirname(skill.folder)));
    expect(skill.description.length).toBeGreaterThan(50);
    expect(skill.description.length).toBeLessThanOrEqual(1_024);
    // A colon and a space would make another thing of it in YAML.
    expect(skill.description).not.toMatch(/: | #/);
    expect(skill.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(skill.needs.filter((need) => !['gpu', 'account'].includes(need))).toEqual([]);
    for (const { registry, name, version, on } of skill.checked) {
      expect([registry, name, version, on].join(' ')).toMatch(/^(pypi|npm) \S+ \d\S* \d{4}-\d{2}-\d{2}$/);
    }
  }
});

const commands = (
  JSON.parse(await readFile(path.join(repository, 'test/architecture/surface.json'), 'utf8')) as {
    commands: Record<string, string[]>;
  }
).commands;

/** Our commands in the blocks for shells, wherever they stand in a line, and those in the text. */
function findCommandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh[^\n]*\n([\s\S]*?)^```/gm)].map((found) => found[1]!);
  const inText = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(lachesis [^`]+)`/g)].map(
    (found) => found[1]!,
  );
  return [...blocks, ...inText].flatMap((block) => {
    const lines = block
      .replaceAll(/\s*\\\n\s*/g, ' ')
      // What stands in quotes is a value, unless it is a command itself.
      .replaceAll(/"[^"\n]*"|'[^'\n]*'/g, (quoted) => (quoted.includes('lachesis ') ? quoted.slice(1, -1) : 'quoted'));
    return [...lines.matchAll(/(?<![^\s(;|&!])lachesis [^|;&)<>\n]+/g)].map(([line]) => line.trim());
  });
}

/** What is wrong with a command line; undefined when the command and each of its options are there. */
function findFault(line: string): string | undefined {
  const words = line.split(/\s+/);
  const command = [4, 3, 2].map((count) => words.slice(0, count).join(' ')).find((name) => name in commands);
  if (command === undefined) return 'there is no such command';
  // Settings of environments and recipes have dots in them and are read by their own schemas.
  const given = words.filter((word) => /^--?[a-z]/.test(word) && !word.includes('.') && word !== '--help');
  return given.find((option) => !commands[command]!.includes(option));
}

test.each(skills.map(({ name }) => name))('each command of %s is one that exists, with its options', async (name) => {
  const lines = findCommandLines((await readSkill(name))!.text);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.flatMap((line) => findFault(line) ?? []).map(String)).toEqual([]);
});

test.each(skills)('the header of $name has every version that it installs', async ({ name, checked }) => {
  const { text } = (await readSkill(name))!;
  const installed = [...text.matchAll(/([\w-]+)(?:\[[\w,]+\])?==(\d[\w.]*)/g)].map(
    ([, what, version]) => `${what} ${version}`,
  );
  const named = checked.map((each) => `${each.name} ${each.version}`);
  expect(installed.filter((each) => !named.includes(each))).toEqual([]);
});

test('a command is found wherever it stands', () => {
  const block = `ID=$(lachesis trajectories list --json | node -p 'a; lachesis')
test "$(lachesis skills browse | wc -l)" = 0 && ! lachesis data check a.jsonl > b &
timeout 60 sh -c 'until lachesis engine status; do sleep 1; done'
lachesis models promote a@1 \\
  --reason "this; that"
`;
  expect(findCommandLines(`\`\`\`sh terminal=up\n${block}\`\`\`\nThen \`lachesis up\`.\n`)).toEqual([
    'lachesis trajectories list --json',
    'lachesis skills browse',
    'lachesis data check a.jsonl',
    'lachesis engine status',
    'lachesis models promote a@1 --reason quoted',
    'lachesis up',
  ]);
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
  expect([(await source.list()).length, await source.read('no')]).toEqual([skills.length, undefined]);
  expect(await source.read('train-from-recordings')).toBe(skill?.text);
});

test('a guide is found by the names that it has elsewhere, and by no path', async () => {
  const names = [
    'official/mlops/author-an-environment',
    'lachesis/author-an-environment',
    'hermes-atropos-environments',
  ];
  for (const name of names) expect((await readSkill(name))?.name).toBe('author-an-environment');
  for (const name of ['../author-an-environment', 'x/author-an-environment', '', '/']) {
    expect(await readSkill(name)).toBeUndefined();
  }
});

test('words are looked for in names, descriptions and texts, the nearest first', async () => {
  const names = async (words: string): Promise<string[]> => (await searchSkills(words)).map(({ name }) => name);
  expect((await names('feedback'))[0]).toBe('learn-from-feedback');
  expect(await names('feedback splitItems')).not.toContain('learn-from-feedback');
  expect(await names('no-such-word')).toEqual([]);
});

test('a guide is installed whole; one that was changed by hand stays unless it is to be replaced', () =>
  inFolder(async (folder) => {
    const into = path.join(folder, '.agents/skills');
    const [skill] = skills as [(typeof skills)[number]];
    const where = path.join(into, skill.name);
    expect(await readSkillState(skill, into)).toBe('absent');
    expect(await installSkill({ skill, into, replaces: false })).toBe(where);
    expect(await readSkillState(skill, into)).toBe('current');
    await writeFile(path.join(where, 'SKILL.md'), 'mine');
    expect(await readSkillState(skill, into)).toBe('edited');
    expect(await installSkill({ skill, into, replaces: false })).toBeUndefined();
    expect(await readFile(path.join(where, 'SKILL.md'), 'utf8')).toBe('mine');
    expect(await installSkill({ skill, into, replaces: true })).toBe(where);
    expect(readHeader(await readFile(path.join(where, 'SKILL.md'), 'utf8'))['name']).toBe(skill.name);
  }));

test('one that was installed from another version and left alone is outdated, and is replaced', () =>
  inFolder(async (folder) => {
    const [skill] = skills as [(typeof skills)[number]];
    const old = path.join(folder, 'old', skill.name);
    await mkdir(old, { recursive: true });
    await writeFile(path.join(old, 'SKILL.md'), 'as it was');
    await installSkill({ skill: { ...skill, folder: old }, into: folder, replaces: false });
    expect(await readSkillState(skill, folder)).toBe('outdated');
    await installSkill({ skill, into: folder, replaces: false });
    expect(await readSkillState(skill, folder)).toBe('current');
  }));

test('what somebody made their own stands for ours of the same name', () =>
  inFolder(async (folder) => {
    const [skill] = skills as [(typeof skills)[number]];
    await installSkill({ skill, into: folder, replaces: false });
    await writeFile(path.join(folder, skill.name, 'SKILL.md'), '# Mine');
    expect((await readSkill(skill.name, { own: folder }))?.text).toBe('# Mine');
    expect(await listSkills({ own: folder })).toHaveLength(skills.length);
    expect(await listSkills({ own: path.join(folder, 'nothing') })).toHaveLength(skills.length);
  }));

test('an agent lists and reads them', async () => {
  const [list, view] = createSkillTools() as [
    ReturnType<typeof createSkillTools>[number],
    ReturnType<typeof createSkillTools>[number],
  ];
  const context = { signal: new AbortController().signal, callId: 'c' };
  expect(await list.execute({}, context)).toHaveLength(skills.length);
  expect(await view.execute({ name: 'author-an-environment' }, context)).toContain('# Author an environment');
  await expect(view.execute({ name: 'x' }, context)).rejects.toThrow(
    /There are .*author-an-environment, .*train-from-recordings/,
  );
});
