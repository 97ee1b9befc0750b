import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { isCode } from '../../files/is-code.ts';
import { readSafetensorsHeader } from './safetensors-header.ts';
import type { SafetensorsHeader, TensorEntry } from './safetensors-header.ts';
import { WeightsError } from '../weights-error.ts';

export const INDEX_FILE = 'model.safetensors.index.json';

/** The weights of a model as Hugging Face has them: one file, or several with an index. */
export interface BaseWeights {
  readonly files: readonly { readonly name: string; readonly header: SafetensorsHeader }[];
  readonly hasIndex: boolean;
  find(tensor: string): { file: string; entry: TensorEntry } | undefined;
}

export async function openBaseWeights(directory: string): Promise<BaseWeights> {
  const index = await readFile(path.join(directory, INDEX_FILE), 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  const names = index === undefined ? await findSingle(directory) : readIndex(index);
  const files = [];
  for (const name of names) files.push({ name, header: await readSafetensorsHeader(path.join(directory, name)) });
  const places = new Map(
    files.flatMap(({ name, header }) =>
      [...header.tensors].map(([tensor, entry]) => [tensor, { file: name, entry }] as const),
    ),
  );
  return { files, hasIndex: index !== undefined, find: (tensor) => places.get(tensor) };
}

function readIndex(text: string): string[] {
  const { weight_map: map } = JSON.parse(text) as { weight_map?: Record<string, string> };
  const names = [...new Set(Object.values(map ?? {}))].sort();
  // A name that leads out of the folder is no name of a part of it.
  const odd = names.find((name) => path.basename(name) !== name);
  if (names.length > 0 && odd === undefined) return names;
  throw bad(`${INDEX_FILE} names ${odd === undefined ? 'no files' : JSON.stringify(odd)}`);
}

async function findSingle(directory: string): Promise<string[]> {
  const found = (await readdir(directory)).filter((name) => name.endsWith('.safetensors')).sort();
  if (found.includes('model.safetensors')) return ['model.safetensors'];
  if (found.length === 1) return found;
  throw bad(
    found.length === 0
      ? `${directory} holds no safetensors`
      : `${directory} holds ${found.length} safetensors files and no ${INDEX_FILE}`,
  );
}

const bad = (what: string): WeightsError =>
  new WeightsError({ reason: 'bad-safetensors', message: `The base model cannot be read: ${what}.` });
