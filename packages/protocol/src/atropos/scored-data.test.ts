import { expect, test } from 'vitest';

import {
  SCORED_DATA_FLOAT_KEYS,
  SCORED_DATA_INT_KEYS,
  SCORED_DATA_JSON_KEYS,
  SCORED_DATA_KEYS,
} from './scored-data.ts';

test('the fourteen keys stand in wire order', () => {
  expect(SCORED_DATA_KEYS).toEqual([
    'tokens',
    'masks',
    'scores',
    'advantages',
    'ref_logprobs',
    'messages',
    'generation_params',
    'inference_logprobs',
    'overrides',
    'group_overrides',
    'images',
    'env_id',
    'distill_token_ids',
    'distill_logprobs',
  ]);
});

test('each key is of one kind', () => {
  expect(SCORED_DATA_INT_KEYS).toEqual(['tokens', 'masks', 'env_id', 'distill_token_ids']);
  expect(SCORED_DATA_FLOAT_KEYS).toEqual([
    'scores',
    'advantages',
    'ref_logprobs',
    'inference_logprobs',
    'distill_logprobs',
  ]);
  expect(SCORED_DATA_JSON_KEYS).toEqual(['messages', 'generation_params', 'overrides', 'group_overrides', 'images']);
});
