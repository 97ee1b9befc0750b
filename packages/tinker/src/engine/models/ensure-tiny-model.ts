import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { listEnginePaths } from '../engine-paths.ts';
import { holdMakeLock } from '../hold-make-lock.ts';
import { makeTinyModel } from './make-tiny-model.ts';
import { prepareEngine, type PrepareEngineOptions } from '../prepare-engine.ts';

export interface EnsureTinyModelOptions extends PrepareEngineOptions {
  /** `trained` by default. */
  readonly tokenizer?: 'trained' | 'qwen3';
}

/** The tiny model the keeper keeps in its home, made on first use. */
export async function ensureTinyModel(options: EnsureTinyModelOptions): Promise<string> {
  const name = options.tokenizer === 'qwen3' ? 'tiny-qwen3-real-tokenizer' : 'tiny-qwen3';
  const directory = join(listEnginePaths(options.home).models, name);
  // It takes the same lock, so it comes first; after it the lock covers the model alone.
  await prepareEngine(options);
  await using _held = await holdMakeLock(options);
  if (!existsSync(directory)) await makeTinyModel({ ...options, directory });
  return directory;
}
