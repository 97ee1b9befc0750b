import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { EngineError } from '../engine-error.ts';

export interface CheckedModel {
  readonly directory: string;
  readonly weightBytes: number;
}

/** The engine starts with a folder that lacks something, and fails minutes later: so it is looked at first. */
export async function checkModel(directory: string): Promise<CheckedModel> {
  const folder = resolve(directory);
  if (!existsSync(folder)) throw modelMissing(`There is no model folder ${folder}.`);
  const names = await readdir(folder);
  const weights = names.filter((name) => name.endsWith('.safetensors'));
  const missing = [
    ...['config.json', 'tokenizer.json', 'tokenizer_config.json'].filter((name) => !names.includes(name)),
    ...(weights.length === 0 ? ['*.safetensors'] : []),
  ];
  if (missing.length > 0) throw modelMissing(`${folder} is no model folder: it lacks ${missing.join(', ')}.`);
  const sizes = await Promise.all(weights.map(async (name) => (await stat(join(folder, name))).size));
  return { directory: folder, weightBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function modelMissing(message: string): EngineError {
  return new EngineError({
    reason: 'model-missing',
    message,
    hint: 'Name a folder in Hugging Face layout, or leave --model out for a tiny random model.',
  });
}
