import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a model's own folder tells about it. */
export interface ModelFolder {
  vocabularySize?: number;
  maxLength?: number;
  eosTokens?: number[];
}

/** Reads a file, or gives undefined when there is none. */
export type ReadText = (file: string) => Promise<string | undefined>;

const readLocal: ReadText = async (file) => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/**
 * A local engine names its model by a folder of this machine. Its config holds the vocabulary and the end-of-sequence
 * token, which no such server tells. Anything else gives nothing.
 */
export async function readModelFolder(baseModel: string, readText: ReadText = readLocal): Promise<ModelFolder> {
  if (!path.isAbsolute(baseModel)) return {};
  const config = parse(await readText(path.join(baseModel, 'config.json')));
  const generation = parse(await readText(path.join(baseModel, 'generation_config.json')));
  const eos = toIds(generation['eos_token_id']) ?? toIds(config['eos_token_id']);
  return {
    ...(isCount(config['vocab_size']) ? { vocabularySize: config['vocab_size'] } : {}),
    ...(isCount(config['max_position_embeddings']) ? { maxLength: config['max_position_embeddings'] } : {}),
    ...(eos === undefined ? {} : { eosTokens: eos }),
  };
}

function parse(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function toIds(value: unknown): number[] | undefined {
  const ids = Array.isArray(value) ? value : [value];
  return ids.length > 0 && ids.every((id) => Number.isSafeInteger(id)) ? (ids as number[]) : undefined;
}
