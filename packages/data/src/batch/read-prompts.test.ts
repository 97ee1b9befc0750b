import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPrompts } from './read-prompts.ts';

it('reads prompts with everything in them, and says which rows hold none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-prompts-'));
  const path = join(folder, 'p.jsonl');
  // U+2028 ends a line for some readers; inside a prompt it is a sign like others.
  const odd = 'one\u2028two\u2029three';
  await writeFile(
    path,
    `{"prompt": "${odd}", "image": "debian", "mine": 1}\n\nnot json\n{"text": "x"}\r\n{"prompt": "${odd}"}`,
  );
  const { inputs, skipped } = await readPrompts(path);
  expect(inputs).toEqual([{ prompt: odd, image: 'debian', mine: 1 }, { prompt: odd }]);
  expect(skipped.map(({ line }) => line)).toEqual([3, 4]);
  expect((await readPrompts(path, { maxSamples: 1 })).inputs).toHaveLength(1);
  await expect(readPrompts(join(folder, 'none.jsonl'))).rejects.toThrow('There is no file');
  await rm(folder, { recursive: true });
});
