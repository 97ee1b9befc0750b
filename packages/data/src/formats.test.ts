import { makeConversation } from '@lachesis/protocol';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPORT_FORMATS, guessFormat, IMPORT_FORMATS, readFormat } from './formats.ts';

const messages = [
  { role: 'user' as const, content: 'two and two?' },
  { role: 'assistant' as const, content: 'four' },
];

async function withFile(name: string, content: string | Uint8Array, use: (path: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-formats-'));
  try {
    const path = join(folder, name);
    await writeFile(path, content);
    await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(Object.entries(EXPORT_FORMATS))(
  'what is written as %s is known by its beginning and read back',
  async (name, format) => {
    const record = makeConversation({ id: 'a', messages });
    const pieces = await Array.fromAsync(format.write([record]));
    await withFile(format.fileName, Buffer.concat(pieces.map((piece) => Buffer.from(piece))), async (path) => {
      const guessed = await guessFormat(path);
      // A conversation of TRL is a line of OpenAI.
      const known = name === 'trl' ? 'openai' : name;
      expect(guessed).toBe(IMPORT_FORMATS.find((one) => known === one || known.startsWith(`${one}-`)));
      const results = await Array.fromAsync(readFormat(path, guessed ?? 'jsonl'));
      expect(results).toMatchObject([{ record: { messages } }]);
    });
  },
);

test('a file that shows nothing of its format is not guessed', async () => {
  await withFile('notes.txt', 'just words\n', async (path) => {
    expect(await guessFormat(path)).toBeUndefined();
  });
});
