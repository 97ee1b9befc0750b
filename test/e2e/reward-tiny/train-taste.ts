import { trainOnRecords } from '@lachesis/server';
import type { RecordTrainingResult } from '../../../packages/server/src/services/training/records/training-memory.ts';
import type { RecordTrainingReplacements } from '../../../packages/server/src/services/training/records/training.ts';

/** Steps of 16 pairs, 64 sequences each: what the engine has compiled a program for. */
export const PAIRS_PER_STEP = 16;

export const REWARD_SETTINGS = {
  lora_rank: 8,
  learning_rate: 1e-2,
  lr_schedule: 'constant',
  batch_size: PAIRS_PER_STEP,
  epochs: 1,
  max_tokens: 128,
  use_tensorboard: false,
} as const;

/** The same in the words of the command. */
export const REWARD_FLAGS: readonly string[] = [
  ...['--lora-rank', '8', '--learning-rate', '1e-2', '--lr-schedule', 'constant'],
  ...['--batch-size', String(PAIRS_PER_STEP), '--epochs', '1', '--max-tokens', '128'],
];

/** Trains a reward model in this process, where a part of it may be replaced by a broken one. */
export function trainTaste(options: {
  home: string;
  engineUrl: string;
  run: string;
  seed: number;
  replace?: RecordTrainingReplacements;
}): Promise<RecordTrainingResult> {
  const { home, engineUrl, run, seed, replace } = options;
  return trainOnRecords({
    method: 'reward',
    dataset: { name: 'taste' },
    run,
    settings: { ...REWARD_SETTINGS, seed },
    tinker: { baseUrl: engineUrl, apiKey: 'tml-none' },
    home,
    ...(replace === undefined ? {} : { replace }),
  });
}
