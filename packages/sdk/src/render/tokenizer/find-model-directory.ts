import { existsSync } from 'node:fs';
import type { HubProgress } from '../../hub/download-blob.ts';
import { fetchSnapshot } from '../../hub/fetch-snapshot.ts';

/** What a tokenizer and its templates are made of; a repository has most of it. */
const TOKENIZER_FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'config.json',
] as const;

export interface FindModelOptions {
  readonly fetch?: typeof fetch;
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: (progress: HubProgress) => void;
  readonly signal?: AbortSignal;
}

/** The folder of a model's tokenizer: the one that was named, or the files of that name from the hub. */
export async function findModelDirectory(model: string, options: FindModelOptions = {}): Promise<string> {
  if (existsSync(model)) return model;
  return await fetchSnapshot({
    ...options,
    repository: model,
    paths: TOKENIZER_FILES,
    required: 'tokenizer.json',
    folders: ['additional_chat_templates'],
  });
}
