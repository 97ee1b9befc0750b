import type { RegisteredModel } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { describeModel, describeModels } from './text.ts';

const model = {
  model_version_id: '0192aaaa-0000-7000-8000-000000000001',
  ...{ name: 'talker', version: 2, method: 'dpo', base_model: `/models/${'deep/'.repeat(12)}tiny-qwen3` },
  ...{ parent: null, dataset: { name: 'talker-improve', version: 1, digest: 'abcdef0123456789' } },
  ...{ run: 'improve-talker-20261117-013000', step: 20, weights_path: `tinker://model_4eefa984/${'x'.repeat(90)}` },
  ...{ state_path: null, weights_deleted_at: null, created_at: 0, is_promoted: true, evaluations: [] },
  config: { learning_rate: 1e-5, tinker: { lora_rank: 8, initial_state: null }, note: 'word '.repeat(30) },
} as unknown as RegisteredModel;

test('a list of models fits 80 columns, and the names are whole', () => {
  const lines = describeModels([model], 80).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines[1]).toMatch(/^\* talker@2 {2}dpo/);
});

test('a model fits 80 columns, with its settings one a line', () => {
  const text = describeModel({ model, parent_name: null, promotions: [] }, 80);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toMatch(/^ {2}config +learning_rate: 0\.00001$/m);
  expect(text).toMatch(/^ +tinker\.lora_rank: 8$/m);
  expect(text).not.toContain('{"');
});
