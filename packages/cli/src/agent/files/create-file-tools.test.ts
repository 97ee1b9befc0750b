import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRedactor } from '@lachesis/protocol';
import type { AgentTool } from '@lachesis/sdk/agent';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFileTools } from './create-file-tools.ts';
import { createRowsTool } from './create-rows-tool.ts';
import { openProject } from './project-paths.ts';

let home: string;
let root: string;
let tools: Map<string, AgentTool>;
const context = { signal: new AbortController().signal, callId: 'c' };
const call = (name: string, args: Record<string, unknown>): Promise<unknown> => tools.get(name)!.execute(args, context);
const preview = async (args: Record<string, unknown>): Promise<string> =>
  (await tools.get('write_file')!.preview?.(args)) ?? '';

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'lachesis-agent-'));
  root = path.join(home, 'project');
  await mkdir(path.join(root, 'data'), { recursive: true });
  await writeFile(path.join(root, 'README.md'), 'one\nTwo\nthree\n');
  await writeFile(path.join(home, 'outside.txt'), 'secret two');
  const project = await openProject(root);
  const redactor = createRedactor({ secrets: ['planted-in-a-variable-1'] });
  const rows = createRowsTool({
    ...{ project, redactor },
    readHubRows: async ({ name, config, split, revision, limit }) => [{ name, config, split, revision, limit }],
    readDatasetRows: async function* (ref) {
      yield { ref, messages: [] };
    },
  });
  tools = new Map([...createFileTools({ project, redactor }), rows].map((tool) => [tool.name, tool]));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('rows of the hub are shown, by an address in either field', async () => {
  const show = async (args: object) => tools.get('preview_rows')!.execute({ ...args }, context);
  expect(await show({ path: 'hf://openai/gsm8k', rows: 2 })).toMatchObject({
    rows: [{ name: 'openai/gsm8k', limit: 3 }],
  });
  expect(await show({ dataset: 'hf://datasets/openai/gsm8k@v1?config=main&split=test' })).toMatchObject({
    rows: [{ name: 'openai/gsm8k', revision: 'v1', config: 'main', split: 'test' }],
  });
  await expect(show({ dataset: 'hf://gsm8k' })).rejects.toThrow('Give hf://owner/name');
});

test('files are listed, read by lines and searched', async () => {
  await mkdir(path.join(root, 'node_modules', 'x'), { recursive: true });
  expect(await call('list_files', {})).toEqual({ files: ['README.md', 'data/', 'node_modules/'] });
  expect(await call('read_file', { path: 'README.md', from_line: 2, lines: 1 })).toEqual({
    ...{ path: 'README.md', from_line: 2, total_lines: 4, text: 'Two' },
  });
  expect(await call('search_files', { text: 'two' })).toEqual({ hits: [{ path: 'README.md', line: 2, text: 'Two' }] });
});

test.each(['../outside.txt', '/etc/hostname', 'link.txt', 'folder/outside.txt', 'loop'])(
  'nothing is read outside the project: %s',
  async (given) => {
    await symlink(path.join(home, 'outside.txt'), path.join(root, 'link.txt'));
    await symlink(home, path.join(root, 'folder'));
    await symlink('loop', path.join(root, 'loop'));
    await expect(call('read_file', { path: given })).rejects.toThrow(/outside the project|cannot be followed/);
    await expect(call('preview_rows', { path: given })).rejects.toThrow(/outside the project|cannot be followed/);
    expect(await call('search_files', { text: 'secret' })).toEqual({ hits: [] });
  },
);

test.each(['.env', '.env.local', 'deploy/server.pem', '.git/config', 'id_rsa', '.npmrc'])(
  '%s is not read',
  async (given) => {
    await mkdir(path.dirname(path.join(root, given)), { recursive: true });
    await writeFile(path.join(root, given), 'KEY=two');
    await expect(call('read_file', { path: given })).rejects.toThrow('where secrets are kept');
    expect(await call('search_files', { text: 'KEY=' })).toEqual({ hits: [] });
  },
);

test('an example of an environment file is read', async () => {
  await writeFile(path.join(root, '.env.example'), 'KEY=');
  expect(await call('read_file', { path: '.env.example' })).toMatchObject({ text: 'KEY=' });
});

test('a file is written under environments, and the change is shown before', async () => {
  const given = { path: 'environments/a.ts', content: 'one\ntwo\nthree' };
  expect(await preview(given)).toBe('new file environments/a.ts, 3 lines\n+ one\n+ two\n+ three');
  expect(await call('write_file', given)).toEqual({ written: 'environments/a.ts', bytes: 13 });
  expect(await readFile(path.join(root, 'environments/a.ts'), 'utf8')).toBe('one\ntwo\nthree');
  expect(await preview({ ...given, content: 'one\n2\nthree' })).toBe(
    'environments/a.ts, from line 2\n  one\n- two\n+ 2\n  three',
  );
  expect(tools.get('write_file')?.risk).toBe('writes');
});

test.each([
  'README.md',
  'environments',
  'environments/../README.md',
  'environmentsx/a.ts',
  '../a.ts',
  'environments/out/a.ts',
])('nothing is written elsewhere: %s', async (given) => {
  await mkdir(path.join(root, 'environments'));
  await symlink(home, path.join(root, 'environments', 'out'));
  const args = { path: given, content: 'x' };
  await expect(preview(args)).rejects.toThrow(/cannot be written|outside the project/);
  await expect(call('write_file', args)).rejects.toThrow(/cannot be written|outside the project/);
});

test('a folder of environments that is a link is not written into', async () => {
  await symlink(path.join(root, 'data'), path.join(root, 'environments'));
  await expect(call('write_file', { path: 'environments/a.ts', content: '' })).rejects.toThrow('cannot be written');
});

test('a link to a file outside that is not there yet is not followed', async () => {
  await mkdir(path.join(root, 'environments'));
  await symlink(path.join(home, 'new.ts'), path.join(root, 'environments', 'link.ts'));
  const write = { path: 'environments/link.ts', content: 'mine' };
  await expect(call('write_file', write)).rejects.toThrow('outside the project');
  await expect(readFile(path.join(home, 'new.ts'))).rejects.toThrow('ENOENT');
});

test('what is read passes redaction: in lines, in hits and in rows', async () => {
  const key = ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6'].join('-');
  await writeFile(path.join(root, 'notes.txt'), `first\nOPENAI_API_KEY=${key}\nand planted-in-a-variable-1\n`);
  await writeFile(
    path.join(root, 'data/rows.jsonl'),
    JSON.stringify({ note: `use ${key}`, password: 'hunter2-hunter2' }),
  );
  const said = JSON.stringify([
    await call('read_file', { path: 'notes.txt' }),
    await call('read_file', { path: 'notes.txt', from_line: 2, lines: 1 }),
    await call('search_files', { text: 'OPENAI' }),
    await call('search_files', { text: key.slice(0, 20) }),
    await call('preview_rows', { path: 'data/rows.jsonl' }),
  ]);
  expect(said).toContain('OPENAI_API_KEY');
  expect(said).not.toMatch(new RegExp(`${key.slice(8, 20)}|planted-in|hunter2`));
});

test.each(['.envrc', 'credentials.json', 'terraform.tfstate', '.kube/config', 'notes-of-a-key.txt'])(
  '%s is not read, under its own name or another',
  async (name) => {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    if (name.startsWith('notes')) await symlink(path.join(root, 'id_rsa_github'), file);
    await writeFile(path.join(root, name.startsWith('notes') ? 'id_rsa_github' : name), '{"key":"k"}');
    await expect(call('read_file', { path: name })).rejects.toThrow('where secrets are kept');
    await expect(call('preview_rows', { path: name })).rejects.toThrow('where secrets are kept');
    expect(await call('search_files', { text: '"key"' })).toEqual({ hits: [] });
  },
);

test('arguments are checked, and the sentence says what fits', async () => {
  await expect(call('read_file', {})).rejects.toThrow('path is a text');
  await expect(call('read_file', { path: 'README.md', lines: 0 })).rejects.toThrow(
    'lines is a whole number from 1 to 2000',
  );
  await expect(call('read_file', { file: 'x' })).rejects.toThrow('there is no "file", only path, from_line, lines');
  await expect(call('read_file', { path: 'none.md' })).rejects.toThrow('There is no file none.md');
  await expect(call('list_files', { path: 'README.md' })).rejects.toThrow('cannot be listed');
});

test('rows of lines, tables, JSON and data sets are shown with their fields', async () => {
  const lines = '{"q":"1","a":1}\n\n{"q":"2"}\n{"q":"3","a":null}\n';
  await writeFile(path.join(root, 'data/rows.jsonl'), lines);
  await writeFile(path.join(root, 'data/rows.jsonl.gz'), gzipSync(lines));
  await writeFile(path.join(root, 'data/t.csv'), 'q,a\n"say ""hi"", then\ngo",2\nx,3\n');
  await writeFile(path.join(root, 'data/t.json'), '[{"q":1},{"q":2}]');
  const first = {
    fields: { q: 'string', a: 'number, missing in 1' },
    rows: [{ q: '1', a: 1 }, { q: '2' }],
    from: 0,
    has_more: true,
  };
  expect(await call('preview_rows', { path: 'data/rows.jsonl', rows: 2 })).toEqual(first);
  expect(await call('preview_rows', { path: 'data/rows.jsonl.gz', rows: 2 })).toEqual(first);
  expect(await call('preview_rows', { path: 'data/t.csv' })).toMatchObject({
    rows: [
      { q: 'say "hi", then\ngo', a: '2' },
      { q: 'x', a: '3' },
    ],
  });
  expect(await call('preview_rows', { path: 'data/t.json', skip: 1 })).toMatchObject({
    rows: [{ q: 2 }],
    from: 1,
    has_more: false,
  });
  expect(await call('preview_rows', { dataset: 'support@2' })).toMatchObject({ rows: [{ ref: 'support@2' }] });
});

test('what is no data says what would be', async () => {
  await writeFile(path.join(root, 'data/bad.jsonl'), '{"a":1}\n{"a":\n');
  await writeFile(path.join(root, 'data/broken.jsonl.gz'), 'no gzip');
  await expect(call('preview_rows', { path: 'data/bad.jsonl' })).rejects.toThrow(
    'line 2 of data/bad.jsonl is not JSON',
  );
  await expect(call('preview_rows', { path: 'data/broken.jsonl.gz' })).rejects.toThrow('cannot be read');
  await expect(call('preview_rows', { path: 'data/none.jsonl' })).rejects.toThrow('ENOENT');
  await expect(call('preview_rows', { path: 'README.md' })).rejects.toThrow('.jsonl, .ndjson, .csv and .tsv');
  await expect(call('preview_rows', {})).rejects.toThrow('Give path or dataset');
});

test('long values are cut', async () => {
  await writeFile(path.join(root, 'data/long.jsonl'), JSON.stringify({ t: 'x'.repeat(2_000), l: Array(50).fill(1) }));
  const { rows } = (await call('preview_rows', { path: 'data/long.jsonl' })) as { rows: { t: string; l: unknown[] }[] };
  expect(rows[0]?.t).toMatch(/^x{600}… \(2000 characters\)$/);
  expect(rows[0]?.l.at(-1)).toBe('… (50 items)');
});
