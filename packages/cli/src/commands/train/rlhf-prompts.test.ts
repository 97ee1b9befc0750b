import { makeConversation, makePreference, type DataRecord } from '@lachesis/protocol';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePrompts } from './rlhf-prompts.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

test('writes what was said before the reply, each prompt once, and nothing that may not be trained on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-prompts-'));
  const pair = { chosen: [assistant('x')], rejected: [assistant('y')] };
  const rows: DataRecord[] = [
    makePreference({ id: '1', prompt: [user('a')], ...pair }),
    makeConversation({ id: '2', messages: [user('a'), assistant('x')] }),
    makeConversation({ id: '3', messages: [user('b'), assistant('x'), user('c'), assistant('y')] }),
    makePreference({ id: '4', prompt: [user('kept')], ...pair, consent: 'keep' }),
    makePreference({ id: '5', prompt: [user('d')], ...pair, split: 'eval', consent: 'evaluate' }),
    makeConversation({ id: '6', messages: [assistant('alone')] }),
  ];
  const path = join(folder, 'deep', 'prompts.jsonl');
  expect(
    await writePrompts({
      rows: (async function* () {
        yield* rows;
      })(),
      path,
    }),
  ).toBe(2);
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { messages: [user('a')], split: 'train' },
    { messages: [user('b'), assistant('x'), user('c')], split: 'train' },
    { messages: [user('d')], split: 'eval' },
  ]);
  await rm(folder, { recursive: true });
});
