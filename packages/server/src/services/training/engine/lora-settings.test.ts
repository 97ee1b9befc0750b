import { expect, test } from 'vitest';
import { findContradiction, findIgnoredSetting } from './lora-settings.ts';

const skyrl = {
  name: 'skyrl' as const,
  droppedKnobs: { create_model: { train_mlp: 'the server trains all layers', alpha: 'the server uses 32' } },
};
const managed = { name: 'managed' as const, droppedKnobs: {} };

test('a setting that a server would ignore is refused by its name', () => {
  expect(findIgnoredSetting(skyrl, { rank: 8 })).toBeUndefined();
  expect(findIgnoredSetting(skyrl, { alpha: 16 })).toBe(
    'lora_alpha is 16, and the engine (skyrl) takes none: the server uses 32. Leave lora_alpha out.',
  );
  expect(findIgnoredSetting(skyrl, { trainMlp: false })).toContain('train_mlp is false, and the engine (skyrl)');
  expect(findIgnoredSetting(managed, { trainMlp: false, trainUnembed: null })).toBeUndefined();
  expect(findIgnoredSetting(managed, { alpha: 16 })).toContain('its API has no field for it');
});

test('a rank and layers other than those of the state are refused with both', () => {
  const state = { path: 'tinker://m/weights/warm', info: { lora_rank: 8, train_mlp: true } };
  expect(findContradiction(state, { rank: 8, trainMlp: true })).toBeUndefined();
  expect(findContradiction(state, {})).toBeUndefined();
  expect(findContradiction({ ...state, info: {} }, { rank: 2, trainMlp: false })).toBeUndefined();
  expect(findContradiction(state, { rank: 2 })).toBe(
    'lora_rank is 2, and the state tinker://m/weights/warm has rank 8. Set lora_rank to 8, or begin with another state.',
  );
  expect(findContradiction(state, { trainMlp: false })).toContain('was made with train_mlp true');
});
