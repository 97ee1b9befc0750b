import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DataRecord } from '@lachesis/protocol';
import { sampleConversation, samplePreference } from '../parquet/sample-records.fixture.ts';
import { HANDOFF_TRAINERS, type HandoffTrainer, writeHandoff } from './write-handoff.ts';

async function handOff(trainer: HandoffTrainer, records: DataRecord[]) {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-handoff-'));
  try {
    const handoff = await writeHandoff({ trainer, directory, records });
    const texts = await Promise.all(
      handoff.files.filter((file) => !file.startsWith('data/')).map((file) => readFile(join(directory, file), 'utf8')),
    );
    return { ...handoff, text: texts.join('\n') };
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('Axolotl gets its config with the values of the recipe', async () => {
  const { text, files, commands } = await handOff('axolotl', [
    sampleConversation(),
    sampleConversation({ id: 'b', split: 'held' }),
  ]);
  expect(files).toEqual(['data/train.parquet', 'data/test.parquet', 'axolotl.yaml', 'README.md']);
  for (const line of [
    'lora_r: 32',
    'lora_alpha: 64',
    'load_in_4bit: true',
    'sequence_len: 8192',
    'micro_batch_size: 2',
    'gradient_accumulation_steps: 8',
    'num_epochs: 3',
    'learning_rate: 0.0002',
    '    type: chat_template',
    '    field_messages: messages',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text.match(/^ {2}- \w+_proj$/gm)).toHaveLength(7);
  expect(commands.slice(-2)).toEqual(['axolotl train axolotl.yaml', 'axolotl merge-lora axolotl.yaml']);
});

test.each(HANDOFF_TRAINERS)('%s gets pairs as pairs', async (trainer) => {
  const { text, splits } = await handOff(trainer, [samplePreference()]);
  expect(text).toMatch(trainer === 'axolotl' ? /^rl: dpo$/m : /DPOTrainer/);
  expect(splits).toEqual({ train: 1 });
});

test('says what a trainer does not look at, and leaves out what it falls over', async () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] };
  const { dropped, splits } = await handOff('axolotl', [
    samplePreference({ weight: 0.5 }),
    samplePreference({ id: 'calls', chosen: [call], tools: [] }),
  ]);
  expect(splits).toEqual({ train: 1 });
  expect(dropped.map(({ field }) => field)).toEqual(['weight', 'tools', 'row']);
});

test('refuses a folder without a row to train on', async () => {
  await expect(handOff('trl', [sampleConversation({ split: 'test' })])).rejects.toThrow(/nothing to train on/);
});
